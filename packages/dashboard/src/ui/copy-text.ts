/** Puts a text into the clipboard. @returns false without one: a page needs https or localhost for it */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
