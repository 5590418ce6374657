/** Resolved once the functions can be called; in Node.js it is so from the start. */
export declare const ready: Promise<void>;

/** Runs a scenario under one variant. Throws a `SealabError` where the options name what there is not. */
export declare function run(text: string, options?: RunOptions | null): Report;

/** Runs a scenario under several variants and says where they differ. Throws as `run` does. */
export declare function compare(text: string, options?: CompareOptions | null): Report;

/** Reads what strace printed, without running it. */
export declare function parseStrace(text: string): ParsedTrace;

/** The part of a link from `#` on. Throws a `SealabError` where the state is too large for any link. */
export declare function encodeLink(state: LinkState): string;

/** What a link carries. Throws a `SealabError` where it is none, is damaged, or of a newer version. */
export declare function decodeLink(link: string): LinkState;
