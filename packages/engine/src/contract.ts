/** The vocabulary of the engine: what a caller may ask for, and what it gets. Pages and workflows may load it. */
export * from '@burnish/contract/engine';
