//! The program as mdBook runs it: JSON in, JSON out, faults with their place.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

fn run(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_mdbook-sealab"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

fn book(renderer: &str, path: &str, content: &str) -> String {
    let config = json!({
        "book": {"title": "t", "authors": [], "language": "en", "src": "src"},
        "preprocessor": {"sealab": {"base": "../"}},
    });
    let context = json!({
        "root": "/", "config": config, "renderer": renderer, "mdbook_version": "0.5.4",
    });
    let chapter = json!({
        "Chapter": {
            "name": "One", "content": content, "number": null, "sub_items": [],
            "path": path, "source_path": path, "parent_names": [],
        }
    });
    json!([context, {"items": [chapter]}]).to_string()
}

fn content(output: &Output) -> String {
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    let book: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    book["items"][0]["Chapter"]["content"]
        .as_str()
        .expect("a chapter")
        .to_owned()
}

const CHAPTER: &str = "# One

Before.

```sealab step=3 variants=6.11,6.12 height=400 title=\"Two & two\"
a = mmap(NULL, 16K, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)

mseal(a + 8K, 4K, 0)
mprotect(a, 16K, PROT_READ) = -1 EPERM
```

````text
```sealab
not a block, but a text about one
```
````

After.
";

#[test]
fn a_block_becomes_an_element_with_its_result_inside() {
    let output = run(&[], &book("html", "deep/one.md", CHAPTER));
    let content = content(&output);
    assert!(content.contains("<sealab-play src=\"#v1/"), "{content}");
    assert!(content.contains(" view=\"space\" step=\"3\" height=\"400\" title=\"Two &amp; two\">"));
    // For readers without JavaScript: scenario, picture, table, link.
    assert!(content.contains("<pre><code tabindex=\"0\">a = mmap("));
    assert!(content.contains("<svg ") && content.contains("<td>EPERM, 8K changed</td>"));
    assert!(content.contains("<a href=\"../../#v1/"));
    assert!(content.contains("src=\"../../embed/v1.js\""));
    assert!(content.contains("not a block, but a text about one"));
    let element = content.split("<sealab-play").nth(1).expect("it");
    let element = element.split("</sealab-play>").next().expect("its end");
    assert!(!element.contains("\n\n"), "Markdown would end the element");
    assert!(content.contains("Before.") && content.contains("After."));
}

#[test]
fn other_renderers_get_markdown() {
    let content = content(&run(&[], &book("epub", "one.md", CHAPTER)));
    assert!(!content.contains("<sealab-play") && !content.contains("<script"));
    assert!(
        content.contains("| line | call | 6.11 | 6.12 |"),
        "{content}"
    );
}

#[test]
fn a_static_block_needs_no_script() {
    let chapter = "```sealab static view=calls\nload(0, 1) = -1 SIGSEGV\n```\n";
    let content = content(&run(&[], &book("html", "one.md", chapter)));
    assert!(content.contains("<div class=\"sealab-static\"") && !content.contains("<script"));
    assert!(content.contains("SIGSEGV"));
}

#[test]
fn a_wrong_example_stops_the_build_at_its_line() {
    for (block, said) in [
        ("```sealab\nmmapp(0)\n```\n", "one.md:4: "),
        (
            "```sealab\na = mmap(NULL, 4K, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)\nstore(a, 1) = 0\n```\n",
            "one.md:5: no variant ends store",
        ),
        (
            "```sealab stepp=1\nload(0, 1)\n```\n",
            "one.md:3: there is no option stepp",
        ),
        ("```sealab step=9\nload(0, 1)\n```\n", "beyond the last"),
        ("```sealab variants=9.9\nload(0, 1)\n```\n", "9.9"),
        (
            "```sealab maps=missing\nload(0, 1)\n```\n",
            "cannot be read",
        ),
    ] {
        let output = run(&[], &book("html", "one.md", &format!("# One\n\n{block}")));
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && error.contains(said),
            "{said}: {error}"
        );
    }
    let faulty = "```sealab faulty\nmmapp(0)\n```\n";
    assert!(run(&[], &book("html", "one.md", faulty)).status.success());
}

#[test]
fn it_says_how_it_is_used() {
    assert!(run(&["supports", "html"], "").status.success());
    let output = run(&["--help"], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("[preprocessor.sealab]"));
    assert!(!run(&[], "no book").status.success());
}
