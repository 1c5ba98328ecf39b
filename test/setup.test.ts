import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const lock = 'node_modules/.package-lock.json'
const pages = 'scripts/build-web.mjs'
const inputs = [
  'package.json',
  'package-lock.json',
  'scripts/setup.mjs',
  'scripts/setup/steps.mjs',
  'scripts/node/package-lock.json',
]
let clone: string

/** A clone with installed packages: npm's record of them, and GDAL, which the set-up loads. */
beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'landform-setup-'))
  for (const path of [
    'package.json',
    'package-lock.json',
    'scripts/setup.mjs',
    'scripts/setup',
    pages,
    lock,
  ]) {
    cpSync(join(root, path), join(clone, path), { recursive: true })
  }
  mkdirSync(join(clone, 'scripts/node'))
  cpSync(join(root, 'scripts/node/package-lock.json'), join(clone, 'scripts/node/package-lock.json'))
  symlinkSync(join(root, 'node_modules/gdal-async'), join(clone, 'node_modules/gdal-async'))
})
afterEach(() => rmSync(clone, { recursive: true }))

function setUp() {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['scripts/setup.mjs'], {
    cwd: clone,
    encoding: 'utf8',
  })
  return {
    stdout,
    stderr,
    exit: status,
    stamped: existsSync(join(clone, 'node_modules/.landform-setup.json')),
  }
}

function isSetUp(): string {
  const code =
    "import('./scripts/setup/stamp.mjs').then((stamp) => console.log(stamp.isSetUp({ forTests: true })))"
  return execFileSync(process.execPath, ['-e', code], { cwd: clone, encoding: 'utf8' }).trim()
}

test('set-up accepts installed packages, and prints nothing', () => {
  expect(setUp()).toEqual({ stdout: '', stderr: '', exit: 0, stamped: true })
  expect(existsSync(join(clone, '.cache/setup.lock'))).toBe(false)
})

test('a current stamp skips the check of the packages', () => {
  setUp()
  rmSync(join(clone, lock))
  expect(setUp()).toEqual({ stdout: '', stderr: '', exit: 0, stamped: true })
})

test('a change of any input invalidates the stamp', () => {
  setUp()
  for (const path of inputs) {
    appendFileSync(join(clone, path), ' ')
    expect([path, isSetUp()]).toEqual([path, 'false'])
    cpSync(join(root, path), join(clone, path))
    expect([path, isSetUp()]).toEqual([path, 'true'])
  }
})

test('an invalid lock file is reported on stderr, and leaves no stamp', () => {
  rmSync(join(clone, lock))
  writeFileSync(join(clone, 'package-lock.json'), 'not JSON')
  const result = setUp()
  expect(result).toMatchObject({ stdout: '', exit: 1, stamped: false })
  expect(result.stderr).toContain('installing packages … failed')
  expect(result.stderr).toContain('existing package-lock.json')
})

test('the lock of a dead set-up is taken over', () => {
  mkdirSync(join(clone, '.cache'))
  const { pid } = spawnSync(process.execPath, ['--version'])
  writeFileSync(join(clone, '.cache/setup.lock'), String(pid))
  expect(setUp()).toMatchObject({ exit: 0, stamped: true })
})
