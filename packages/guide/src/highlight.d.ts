/*
 * Replaces the types of `highlight.js` and its languages (see `paths` in tsconfig.json), which would add the browser's globals to every
 * file of a server program. The guide needs only this subset.
 */
declare const highlighter: {
  registerLanguage(name: string, language: unknown): void;
  registerAliases(aliases: string[], options: { languageName: string }): void;
  getLanguage(name: string): object | undefined;
  highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { value: string };
};
export default highlighter;
