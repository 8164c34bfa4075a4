import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { goInstall } from '../../../local-stack/go-install.ts';
import { buildProgress, readFrom, readGoOutput, sizeOf } from '../../../local-stack/go-progress.ts';

describe('the output of Go', () => {
  it('has modules and packages in complete lines', () => {
    const text = [
      'go: downloading go.temporal.io/server v1.32.0',
      'go: downloading github.com/urfave/cli/v2 v2.27.7',
      'go: finding module for package x',
      'internal/goarch',
      'errors',
      'vendor/golang.org/x/crypto/chacha20',
      'gopkg.in/yaml.v3',
      '# go.temporal.io/server/common',
      'common/x.go:12:3: undefined: y',
      '',
      'go.temporal.io/serv',
    ].join('\n');
    expect(readGoOutput(text)).toEqual({ modules: 2, packages: 4 });
    expect(readGoOutput('')).toEqual({ modules: 0, packages: 0 });
  });

  it.each([
    [{ modules: 0, packages: 0 }, undefined, 'preparing the build of it with Go, once: 3 s'],
    [
      { modules: 12, packages: 0 },
      undefined,
      'preparing the build of it with Go, once: 12 modules downloaded, 3 s',
    ],
    [
      { modules: 0, packages: 7 },
      40,
      'building it with go install, once, a few minutes: 7 of 40 packages, 3 s',
    ],
    [{ modules: 0, packages: 7 }, null, 'building it with go install, once, a few minutes: 7 packages, 3 s'],
    // More packages than were listed are not shown as more than all.
    [
      { modules: 0, packages: 9 },
      8,
      'building it with go install, once, a few minutes: 9 of 9 packages, 3 s',
    ],
  ])('%j of %s is shown as progress', (output, total, text) => {
    expect(buildProgress('it', output, total, 3)).toBe(text);
  });
});

describe('a build with Go', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'card-payments-go-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  /** Writes a program that takes the place of Go. Each part is a line of a shell script. */
  function fakeGo(list: string, install: string): string {
    const go = join(directory, 'go');
    const script = `#!/bin/sh
echo "$@" >> ${directory}/calls
case "$1" in
  mod) echo 'go: downloading example.org/thing v1.2.3' >&2; echo '{ "Dir": "${directory}" }' ;;
  list) ${list} ;;
  install) ${install} ;;
esac
`;
    writeFileSync(go, script);
    chmodSync(go, 0o755);
    return go;
  }
  const program = {
    ...{ name: 'thing-1.2.3', label: 'the thing', go: '1.26' },
    ...{ module: 'example.org/thing', version: 'v1.2.3', directory: 'cmd/server' },
  };
  const built = 'echo program > "$GOBIN/server"';
  async function build(go: string): Promise<string[]> {
    const reports: string[] = [];
    await goInstall(go, program, join(directory, 'target'), join(directory, 'log'), {
      report: (detail) => void reports.push(detail.replace(/\d+ s$/, 'N s')),
    });
    return reports;
  }

  it('reports the packages that are compiled, of all that are not in the cache', async () => {
    // An earlier build wrote to the same log.
    writeFileSync(join(directory, 'log'), 'errors\nio\n');
    const reports = await build(
      fakeGo(
        "printf 'errors\\nio\\nexample.org/thing/cmd/server\\n'",
        `printf 'errors\\nio\\n' >&2; sleep 1.5; ${built}`,
      ),
    );
    expect(reports[0]).toBe('preparing the build of the thing with Go, once: N s');
    expect(reports).toContain(
      'building the thing with go install, once, a few minutes: 0 of 3 packages, N s',
    );
    expect(reports.at(-1)).toBe(
      'building the thing with go install, once, a few minutes: 2 of 3 packages, N s',
    );
    expect(readFileSync(join(directory, 'target'), 'utf8')).toBe('program\n');
    expect(readFileSync(join(directory, 'calls'), 'utf8').split('\n')).toEqual([
      'mod download -json example.org/thing@v1.2.3',
      'list -deps -ldflags=-s -w -f {{if .Stale}}{{.ImportPath}}{{end}} ./cmd/server',
      'install -v -ldflags=-s -w example.org/thing/cmd/server@v1.2.3',
      '',
    ]);
  });

  it('is made when Go cannot list the packages', async () => {
    const reports = await build(fakeGo('exit 1', built));
    expect(reports.at(-1)).toBe('building the thing with go install, once, a few minutes: 0 packages, N s');
    expect(existsSync(join(directory, 'target'))).toBe(true);
  });

  it('that fails names the Go that is needed, and leaves no files', async () => {
    const go = fakeGo('true', "echo 'go: example.org/thing@v1.2.3: no such version' >&2; exit 1");
    await expect(build(go)).rejects.toThrow(
      /^the thing could not be built: Go 1\.26 or newer and its module proxy are needed .*no such version/,
    );
    expect(existsSync(join(directory, 'target.build'))).toBe(false);
  });

  it('reads a log that does not exist as empty', () => {
    expect([sizeOf(join(directory, 'none')), readFrom(join(directory, 'none'), 0)]).toEqual([0, '']);
  });
});
