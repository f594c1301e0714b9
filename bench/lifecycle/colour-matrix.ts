/** A slight change of colours, which costs what any other does. */
export const COLOUR_MATRIX: [[number, number, number], [number, number, number], [number, number, number]] = [
  [1.04, -0.02, -0.02],
  [-0.02, 1.04, -0.02],
  [-0.02, -0.02, 1.04],
];
