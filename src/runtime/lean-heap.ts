import { setFlagsFromString } from 'node:v8';

/**
 * Makes V8 collect garbage after a heap growth of two fifths since the last collection, instead of a factor of two or more. The
 * live memory of a gateway hardly grows with its traffic. But the objects of a waiting request get old, and only a full
 * collection frees them. Without this setting, bursts of a thousand uploads raised a gateway's memory from 195 MB to 400 MB and
 * more, with 60 MB alive. The V8 of Node.js 24 collects earlier by itself, and the setting hardly changes it.
 */
export function keepHeapLean(): void {
  setFlagsFromString('--heap-growing-percent=40');
}
