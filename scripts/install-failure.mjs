const SENTENCES = [
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT|network timeout/,
    'The packages could not be fetched because the package registry cannot be reached: check the network or the proxy settings of npm.',
  ],
  [/ENOSPC/, 'The packages could not be installed because the disk is full: free 2 GB, and start again.'],
  [
    /EACCES|EPERM/,
    'The packages could not be installed because this user may not write to the folder: change its owner, or clone into a folder of your own.',
  ],
  [
    /EUSAGE|in sync/,
    'package.json and package-lock.json do not agree: run npm install with npm 10 and commit the result.',
  ],
];

/**
 * Says in one sentence why `npm ci` failed.
 *
 * @param {string} output what npm printed
 * @returns {string}
 */
export function installFailure(output) {
  for (const [pattern, sentence] of SENTENCES) if (new RegExp(pattern).test(output)) return String(sentence);
  return 'npm ci failed; the reasons are above.';
}
