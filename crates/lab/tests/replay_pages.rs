//! Every recorded experiment on arm64 page tables, made again: each page of each process after each
//! call. What is not simulated is listed here, so that the list cannot grow unseen.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use sealab_lab::replay::pages::{PagesVerdict, read, replay, take_files};

/// Experiments that are not replayed: swap (i9 to i12, i22), compaction (i18), userfaultfd (i21),
/// khugepaged (i25), prctl (o2), hugetlb (o3, o6).
const NOT_MODELLED: &[&str] = &[
    "i10_pageout_mid_swap",
    "i11_pageout_zram",
    "i12_pageout_half_swap",
    "i18_compact",
    "i21_uffd_wp",
    "i22_pageout_populate",
    "i25_khugepaged_b",
    "i25_khugepaged_pmd",
    "i9_pageout_swap",
    "o2_thp_disable",
    "o3_hugetlb_contpte",
    "o6_hugetlb_fork",
];

#[test]
fn every_experiment_agrees() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../recordings/linux-arm64");
    let files: Vec<PathBuf> = take_files(&mut vec![folder]).unwrap();
    assert_eq!(files.len(), 7, "{files:?}");
    let (mut passed, mut failed) = (0, Vec::new());
    let mut not_modelled = BTreeSet::new();
    for file in files {
        for experiment in read(&file).unwrap() {
            let place = format!("{}/{}", experiment.config, experiment.name);
            match replay(&experiment).unwrap_or_else(|fault| panic!("{fault}")) {
                PagesVerdict::Passed => passed += 1,
                PagesVerdict::NotModelled(_) => {
                    not_modelled.insert(experiment.name.clone());
                }
                PagesVerdict::Failed {
                    step,
                    call,
                    differences,
                } => failed.push(format!("{place}: step {step}: {call}\n{differences:#?}")),
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert_eq!(passed, 571);
    let expected: BTreeSet<String> = NOT_MODELLED.iter().map(|&n| n.to_owned()).collect();
    assert_eq!(not_modelled, expected);
}

#[test]
fn a_record_that_says_otherwise_fails() {
    let line = r#"{"config":"debian-6.12-4k","name":"x","title":"","note":null,
        "release":"6.12.1","page_size":4096,
        "settings":{"transparent_hugepage/enabled":"always",
            "hugepages-*kB/enabled":{"64":"always","(others)":"never"},
            "hugepages-*kB/shmem_enabled":{"(others)":"never"}},
        "steps":[
            {"by":"P0","call":"mmap(0x10000000000, 65536, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS|MAP_FIXED_NOREPLACE, -1, 0)","ret":"0x10000000000","state":null},
            {"by":"P0","call":"store(0x10000000000, 1)","ret":"0","state":{"P0":{
                "vmas":["10000000000-10000010000 rw-p"],
                "A":{"base":"0x10000000000","pages":16,"map":"","runs":[
                    [0,15,0,"F0",4,1,1,1,CONT,3,1,""]]}}}}]}"#
        .replace('\n', " ");
    let folder = std::env::temp_dir().join(format!("sealab-pages-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for (cont, agrees) in [("1", true), ("0", false)] {
        let file = folder.join(format!("{cont}.jsonl"));
        std::fs::write(&file, line.replace("CONT", cont)).unwrap();
        let experiments = read(&file).unwrap();
        let verdict = replay(&experiments[0]).unwrap();
        assert_eq!(verdict == PagesVerdict::Passed, agrees, "{verdict:?}");
    }
    std::fs::write(folder.join("bad.jsonl"), "{\n").unwrap();
    let fault = read(&folder.join("bad.jsonl")).unwrap_err();
    assert!(fault.contains("line 1"), "{fault}");
    std::fs::remove_dir_all(&folder).unwrap();
}
