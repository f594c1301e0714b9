import { describe, expect, it } from '@jest/globals';
import { parseAllowedHosts } from '../../src/net/allowed-hosts.ts';
import { createSafeFetch } from '../../src/net/safe-fetch.ts';

const strict = createSafeFetch({ allowedPrivateHosts: [] });

describe('assertAllowedUrl', () => {
  it.each([
    'http://example.com/',
    'https://example.com/a.jpg?x=1#y',
    'https://example.com.:443/',
    'http://8.8.8.8/',
    'http://134744072/',
    'http://0x08080808/',
    'http://[2606:4700:4700::1111]/',
    'http://example.com:8080/',
    'https://localhost.example.com/',
    'https://xn--bcher-kva.example.org/',
    'https://mylocalhost/',
    'HTTPS://EXAMPLE.COM/',
  ])('allows %s', (url) => {
    expect(() => strict.assertAllowedUrl(url, 'source.url')).not.toThrow();
  });

  it.each([
    // Loopback in every spelling that a URL knows
    'http://127.0.0.1/',
    'http://127.1/',
    'http://127.0.1/',
    'http://127.255.255.255/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.0.0.1/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://0177.1/',
    'http://017700000001/',
    'http://00000177.0.0.1/',
    'http://127.0.0.1./',
    'http://0x7F.0x0.0x0.0x1/',
    'http://%31%32%37.0.0.1/',
    'http://127%2e0%2e0%2e1/',
    'http://１２７.０.０.１/',
    'http://127。0。0。1/',
    'http://①②⑦.⓪.⓪.①/',
    'http://127.0.0.1:8080/',
    'https://127.0.0.1/',
    'http:127.0.0.1',
    'http:\\\\127.0.0.1\\',
    ' http://127.0.0.1/',
    'ht\ntp://127.0.0.1/',
    'http://127.0.0.1#.example.com',
    'http://127.0.0.1?example.com',
    // Other private places
    'http://0/',
    'http://0.0.0.0/',
    'http://0x0/',
    'http://10.0.0.1/',
    'http://167772161/',
    'http://012.0.0.1/',
    'http://10.1/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://192.168.257/',
    'http://0xc0a80101/',
    'http://169.254.169.254/latest/meta-data',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://0251.0376.0251.0376/',
    'http://169.254.43518/',
    'http://100.64.0.1/',
    'http://100.100.100.200/',
    'http://168.63.129.16/',
    'http://198.18.0.1/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://4294967295/',
    'http://240.0.0.1/',
    'http://192.0.2.1/',
    // IPv6
    'http://[::1]/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[0:0:0:0:0:ffff:127.0.0.1]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::169.254.169.254]/',
    'http://[64:ff9b:1::10.0.0.1]/',
    'http://[2002:7f00:1::]/',
    'http://[2001:0:7f00:1::]/',
    'http://[fe80::1]/',
    'http://[fc00::1]/',
    'http://[fd00:ec2::254]/',
    'http://[fec0::1]/',
    'http://[ff02::1]/',
    'http://[2001:db8::1]/',
    'http://[::ffff:0:127.0.0.1]/',
    'http://[FE80::1]:8080/',
    // Names of the machine itself
    'http://localhost/',
    'http://LOCALHOST/',
    'http://localhost./',
    'http://localhost:9000/',
    'http://a.localhost/',
    'http://a.b.localhost./',
    'http://ｌｏｃａｌｈｏｓｔ/',
    'http://%6cocalhost/',
  ])('refuses %j, which is private', (url) => {
    expect(() => strict.assertAllowedUrl(url)).toThrow('private network');
  });

  it.each([
    ['ftp://example.com/', 'Only http and https'],
    ['file:///etc/passwd', 'Only http and https'],
    ['gopher://example.com/', 'Only http and https'],
    ['data:text/plain,x', 'Only http and https'],
    ['javascript:alert(1)', 'Only http and https'],
    ['blob:https://example.com/x', 'Only http and https'],
    ['http://user@example.com/', 'user name'],
    ['http://user:password@example.com/', 'user name'],
    ['http://:password@example.com/', 'user name'],
    ['http://example.com@127.0.0.1/', 'user name'],
    ['', 'The URL is not valid'],
    ['example.com', 'The URL is not valid'],
    ['//example.com/', 'The URL is not valid'],
    ['/a', 'The URL is not valid'],
    ['http://', 'The URL is not valid'],
    ['http://[fe80::1%25eth0]/', 'The URL is not valid'],
    ['http://[::1', 'The URL is not valid'],
    ['http://256.256.256.256/', 'The URL is not valid'],
    ['http://1.2.3.4.5/', 'The URL is not valid'],
    ['http://08.8.8.8/', 'The URL is not valid'],
    ['http://exa mple.com/', 'The URL is not valid'],
    ['http://a:65536/', 'The URL is not valid'],
    ['http://a\0b/', 'The URL is not valid'],
    ['http://example.com:0/', 'Port 0'],
    ['http://example.com:22/', 'Port 22'],
    ['http://example.com:25/', 'Port 25'],
    ['https://example.com:1023/', 'Port 1023'],
    [`http://example.com/${'a'.repeat(8192)}`, 'longer than'],
    ['http://./', 'private network'],
  ])('refuses %j', (url, message) => {
    expect(() => strict.assertAllowedUrl(url)).toThrow(message);
  });

  it('names the wrong field, with a code and no retry', () => {
    expect(() => strict.assertAllowedUrl('http://127.0.0.1/', 'webhookUrl')).toThrow(
      expect.objectContaining({ name: 'Failure', code: 'URL_NOT_ALLOWED', field: 'webhookUrl', retryable: false }),
    );
  });
});

describe('allowed private hosts', () => {
  it.each([
    ['localhost', 'http://localhost:1/', true],
    ['localhost', 'http://LOCALHOST./', true],
    ['localhost', 'http://a.localhost/', false],
    ['localhost', 'http://127.0.0.1/', false],
    ['127.0.0.1:3000', 'http://127.0.0.1:3000/', true],
    ['127.0.0.1:3000', 'http://127.0.0.1:3001/', false],
    ['127.0.0.1:3000', 'http://0x7f.1:3000/', true],
    ['127.1', 'http://127.0.0.1/', true],
    ['10.0.0.7:80', 'http://10.0.0.7/', true],
    ['10.0.0.7:443', 'https://10.0.0.7/', true],
    ['10.0.0.7:443', 'http://10.0.0.7/', false],
    ['10.0.0.7:22', 'http://10.0.0.7:22/', true],
    ['[fd00::1]:8080', 'http://[fd00:0::1]:8080/', true],
    ['[fd00::1]', 'http://[fd00::2]/', false],
    ['10.0.0.7', 'http://10.0.0.70/', false],
    ['10.0.0.7', 'ftp://10.0.0.7/', false],
    ['10.0.0.7', 'http://user@10.0.0.7/', false],
    [' a:1,, 10.0.0.7\n,b ', 'http://10.0.0.7/', true],
    ['', 'http://10.0.0.7/', false],
  ])('with %j, %s is reached: %s', (list, url, reached) => {
    const fetch = createSafeFetch({ allowedPrivateHosts: parseAllowedHosts(list) });
    if (reached) expect(() => fetch.assertAllowedUrl(url)).not.toThrow();
    else expect(() => fetch.assertAllowedUrl(url)).toThrow(expect.objectContaining({ code: 'URL_NOT_ALLOWED' }));
  });

  it.each([
    'http://a',
    'a:b',
    'a:0',
    'a:65536',
    'a:',
    ':80',
    '10.0.0.0/8',
    'fd00::1',
    '[fd00::1',
    'a@b',
    '*.internal:x',
    '256.1.1.1',
  ])('refuses entry %j by name', (entry) => {
    expect(() => parseAllowedHosts(`fine,${entry}`)).toThrow(JSON.stringify(entry));
  });
});

describe('assertAllowedEndpoint', () => {
  const lenient = createSafeFetch({ allowedPrivateHosts: parseAllowedHosts('127.0.0.1:9000') });

  it.each([
    [strict, 'https://example.com/hooks'],
    [lenient, 'http://127.0.0.1:9000/hooks'],
  ])('%# allows https, and any address of a host that the operator allows', (fetching, url) => {
    expect(() => fetching.assertAllowedEndpoint(url)).not.toThrow();
  });

  it.each([
    [strict, 'http://example.com/hooks', 'Only https URLs are allowed here. Use https.'],
    [lenient, 'http://127.0.0.1:9001/hooks', expect.stringContaining('add 127.0.0.1 to BURNISH_ALLOWED_PRIVATE_HOSTS')],
    [strict, 'https://127.0.0.1/hooks', expect.stringContaining('add 127.0.0.1 to BURNISH_ALLOWED_PRIVATE_HOSTS')],
  ])('%# refuses an endpoint over plain http or in a private network', (fetching, url, message) => {
    expect(() => fetching.assertAllowedEndpoint(url, 'url')).toThrow(
      expect.objectContaining({ code: 'URL_NOT_ALLOWED', field: 'url', message }),
    );
  });
});
