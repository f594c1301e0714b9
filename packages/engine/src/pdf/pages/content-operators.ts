import { readInlineImage } from '../images/inline-image.ts';
import { createParser, EndOfInput, isKeyword, type PdfValue } from '@burnish/pdf';

export interface ContentOperator {
  name: string;
  /** Its last operands, at most 64 */
  operands: PdfValue[];
  /** Bytes of the content from its last operand to its own end */
  from: number;
  to: number;
}

const OPERANDS_KEPT = 64;

/** Yields the operators of a content stream with their places. @throws SyntaxFault */
export function* contentOperators(content: Buffer): Generator<ContentOperator> {
  const parser = createParser(content, { references: false });
  let operands: PdfValue[] = [];
  let from = 0;
  try {
    for (;;) {
      parser.skipSpace();
      const start = parser.position;
      const token = parser.next();
      if (!isKeyword(token)) {
        if (operands.length >= OPERANDS_KEPT) operands.shift();
        operands.push(token);
        from = start;
        continue;
      }
      if (token.value === 'BI') readInlineImage(parser, content);
      yield { name: token.value, operands, from: operands.length > 0 ? from : start, to: parser.position };
      operands = [];
    }
  } catch (error) {
    if (!(error instanceof EndOfInput)) throw error;
  }
}
