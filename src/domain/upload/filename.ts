const MAX_LENGTH = 200;
const MAX_EXTENSION_LENGTH = 20;

/**
 * A file's name as it may be shown and put into headers: the last part of a path, without control characters,
 * invisible marks that turn text around, or characters that file systems forbid; at most 200 characters.
 * @returns undefined when nothing is left
 */
export function sanitizeFilename(given: string): string | undefined {
  const name = given
    .slice(-4 * MAX_LENGTH)
    .normalize('NFC')
    .replace(/^.*[/\\]/s, '')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\uFFFD]/gu, '')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/^[\s.]+|[\s.]+$/g, '');
  if (name === '') return undefined;
  const characters = [...name];
  if (characters.length <= MAX_LENGTH) return name;
  const dot = characters.lastIndexOf('.');
  const extension = dot > 0 && characters.length - dot <= MAX_EXTENSION_LENGTH ? characters.slice(dot) : [];
  return [...characters.slice(0, MAX_LENGTH - extension.length), ...extension].join('');
}
