import { PDFDocument, StandardFonts, rgb } from '@cantoo/pdf-lib';

const INK = rgb(0.13, 0.16, 0.2);
const ACCENT = rgb(0.62, 0.12, 0.09);
const PALE = rgb(0.9, 0.92, 0.94);
const A4 = [595.28, 841.89];
const MARGIN = 56;

const FIRST = [
  'The red cabin stands at the far end of the lake, an hour on foot from the last bus stop. It was',
  'built for surveyors, and has been kept by the walking club since then. There are eight beds, a',
  'stove, and a boat that leaks only a little.',
  '',
  'Water comes from the lake. Wood is behind the house; whoever burns it, splits as much again.',
  'Reception ends at the first bend of the path, and most guests come to see that as a feature.',
];
const SECOND = [
  'The path follows the northern shore through spruce and open meadow, then climbs beside the',
  'stream. Boulders at the outflow are slippery after rain. From the saddle the whole range can',
  'be seen in the morning, before the haze comes up the valley.',
];

/**
 * Creates a two-page leaflet: text, drawings, and three photographs that are too small for their space. Every run yields the
 * same bytes, without dates and ids.
 * @param {{ shore: Buffer, valley: Buffer, boulders: Buffer }} photographs JPEG files
 * @returns {Promise<Uint8Array>}
 */
export async function createBrochure(photographs) {
  const pdf = await PDFDocument.create({ updateMetadata: false });
  pdf.setTitle('The cabin at the lake');
  pdf.setProducer('Burnish samples');
  const fonts = {
    heading: await pdf.embedFont(StandardFonts.HelveticaBold),
    label: await pdf.embedFont(StandardFonts.Helvetica),
    text: await pdf.embedFont(StandardFonts.TimesRoman),
  };
  const first = pdf.addPage(A4);
  const shore = await pdf.embedJpg(photographs.shore);
  masthead(first, fonts, 'The cabin at the lake', 'Walking club, leaflet no. 7');
  caption(first, fonts, picture(first, shore, MARGIN, 748, 352), 'Evening at the outflow, looking north.');
  arrow(first, fonts);
  paragraph(first, fonts.text, FIRST, 464);
  timetable(first, fonts, 330);

  const second = pdf.addPage(A4);
  const valley = await pdf.embedJpg(photographs.valley);
  const boulders = await pdf.embedJpg(photographs.boulders);
  masthead(second, fonts, 'The way there', 'Four kilometres, an hour and a quarter');
  caption(second, fonts, picture(second, valley, MARGIN, 748, 300), 'The valley from the saddle.');
  caption(second, fonts, picture(second, boulders, 376, 748, 163), 'Boulders at the shore.');
  paragraph(second, fonts.text, SECOND, 480);
  elevation(second, fonts, 250);
  return pdf.save({ useObjectStreams: false });
}

function masthead(page, fonts, title, subtitle) {
  page.drawRectangle({ x: 0, y: 780, width: A4[0], height: 62, color: INK });
  page.drawSvgPath('M0 30 L18 4 L28 18 L38 8 L56 30 Z', { x: MARGIN, y: 826, color: PALE });
  page.drawText(title, { x: MARGIN + 72, y: 806, size: 22, font: fonts.heading, color: PALE });
  page.drawText(subtitle, { x: MARGIN + 72, y: 790, size: 10, font: fonts.label, color: PALE });
}

/** @returns the position below the picture, for its caption */
function picture(page, image, x, top, width) {
  const height = (width * image.height) / image.width;
  page.drawImage(image, { x, y: top - height, width, height });
  return { x, y: top - height - 13 };
}

function caption(page, fonts, place, text) {
  page.drawText(text, { ...place, size: 8.5, font: fonts.label, color: INK });
}

function paragraph(page, font, lines, top) {
  lines.forEach((line, n) => page.drawText(line, { x: MARGIN, y: top - n * 16, size: 11.5, font, color: INK }));
}

/** Draws the north arrow. */
function arrow(page, fonts) {
  page.drawCircle({ x: 480, y: 636, size: 44, borderColor: INK, borderWidth: 1.2 });
  page.drawSvgPath('M0 -36 L9 14 L0 6 L-9 14 Z', { x: 480, y: 636, color: ACCENT });
  page.drawText('N', { x: 475.5, y: 686, size: 12, font: fonts.heading, color: INK });
}

function timetable(page, fonts, top) {
  const rows = [
    ['Bus', 'Valley station', 'Last stop', 'On foot to the cabin'],
    ['14', '08:10', '08:52', '10:05'],
    ['14', '11:40', '12:22', '13:35'],
    ['14 (not on Sundays)', '17:25', '18:07', '19:20'],
  ];
  rows.forEach((row, n) => {
    const y = top - n * 24;
    if (n % 2 === 0) page.drawRectangle({ x: MARGIN, y: y - 7, width: A4[0] - 2 * MARGIN, height: 24, color: PALE });
    row.forEach((cell, column) => {
      const font = n === 0 ? fonts.heading : fonts.label;
      page.drawText(cell, { x: MARGIN + 8 + column * 122, y, size: 10, font, color: n === 0 ? ACCENT : INK });
    });
  });
}

/** Draws the climb of the path as a chart. */
function elevation(page, fonts, bottom) {
  const heights = [612, 618, 616, 640, 655, 690, 742, 760, 815, 842, 838, 801, 774];
  const [width, height] = [A4[0] - 2 * MARGIN, 130];
  const y = (metres) => ((metres - 600) / 260) * height;
  for (const metres of [700, 800]) {
    const at = bottom + y(metres);
    page.drawLine({
      start: { x: MARGIN, y: at },
      end: { x: MARGIN + width, y: at },
      thickness: 0.5,
      color: rgb(0.6, 0.64, 0.68),
    });
    page.drawText(`${metres} m`, { x: MARGIN + 3, y: at + 3, size: 8, font: fonts.label, color: INK });
  }
  const line = heights.map(
    (metres, n) =>
      `${n === 0 ? 'M' : 'L'}${((n * width) / (heights.length - 1)).toFixed(2)} ${(-y(metres)).toFixed(2)}`,
  );
  page.drawSvgPath(`${line.join(' ')} L${width} 0 L0 0 Z`, { x: MARGIN, y: bottom, color: rgb(0.78, 0.84, 0.8) });
  page.drawSvgPath(line.join(' '), { x: MARGIN, y: bottom, borderColor: ACCENT, borderWidth: 2 });
  page.drawText('Height of the path from the last stop (left) over the saddle to the cabin (right)', {
    x: MARGIN,
    y: bottom - 16,
    size: 8.5,
    font: fonts.label,
    color: INK,
  });
}
