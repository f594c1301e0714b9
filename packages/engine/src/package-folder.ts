/** The folder of this package, with its fonts and networks. Its code is one folder below, as sources and as bundles. */
export const PACKAGE_FOLDER = new URL('..', import.meta.url);
