import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { loadManifest } from '../../src/manifest/load_manifest.ts'
import { printIssues } from '../support/fixtures.ts'

const cwd = mkdtempSync(join(tmpdir(), 'landform-load-'))
afterAll(() => rmSync(cwd, { recursive: true }))

const root = 'manifest: test\nresources:\n  root: { existing: true, id: 0 }\n'
writeFileSync(join(cwd, 'a.yaml'), root)
mkdirSync(join(cwd, 'empty'))
mkdirSync(join(cwd, 'linked'))
symlinkSync(join(cwd, 'a.yaml'), join(cwd, 'linked', 'link.yaml'))
symlinkSync(join(cwd, 'nowhere'), join(cwd, 'linked', 'broken.yaml'))

const load = (...paths: string[]) => loadManifest({ paths, env: {}, cwd })
const codes = async (...paths: string[]) => (await load(...paths)).issues.map(({ code }) => code)

describe('paths', () => {
  it('that do not exist, or folders without manifests, are issues', async () => {
    expect(printIssues(await load('nowhere.yaml', 'empty'))).toBe(
      'error file/not-found: nowhere.yaml: no such file or folder\n' +
        'error manifest/empty: empty: the folder has no *.yaml files\n',
    )
    expect(await codes()).toEqual(['manifest/empty'])
  })

  it('load each file once, even if several paths match it', async () => {
    const { issues, sources } = await load('a.yaml', './a.yaml', join(cwd, 'a.yaml'))
    expect(issues).toEqual([])
    expect([...sources.keys()]).toEqual(['a.yaml'])
  })

  it('may be symbolic links to files; a broken link is an issue', async () => {
    const { issues, sources } = await load('linked')
    expect([...sources.keys()]).toEqual(['linked/link.yaml'])
    expect(issues.map(({ code }) => code)).toEqual(['file/unreadable'])
  })

  it('outside the working directory are shown relative to it', async () => {
    const loaded = await loadManifest({ paths: ['../a.yaml'], env: {}, cwd: join(cwd, 'empty') })
    expect([...loaded.sources.keys()]).toEqual(['../a.yaml'])
  })
})

describe('secrets', () => {
  it('are redacted in excerpts, and lines and columns are preserved', async () => {
    const text = `${root}  db:\n    password: "hunter2 x"\n    port: 1\n`
    writeFileSync(join(cwd, 'secret.yaml'), text)
    const shown = (await load('secret.yaml')).sources.get('secret.yaml')
    expect(shown).toBe(text.replace('"hunter2 x"', '******** **'))
  })

  it.each([
    ['{ env: DB_PASSWORD }', '{ env: DB_PASSWORD }'],
    ['{ file: secrets/db.txt }', '{ file: secrets/db.txt }'],
    ['{ command: [pass, show, hunter2] }', '{ command: [pass, ****, *******] }'],
    ['{ env: hunter2, extra: hunter2 }', '{ env: *******, extra: ******* }'],
    ['[hunter2]', '*********'],
    ['"${env.DB_PASSWORD}"', '"${env.DB_PASSWORD}"'],
    ['${file:db.txt}', '${file:db.txt}'],
    ['${env.DB_PASSWORD:-hunter2}', '***************************'],
  ])('are shown without their values in excerpts: %s', async (written, expected) => {
    const text = `${root}  db:\n    password: ${written}\n`
    writeFileSync(join(cwd, 'secret.yaml'), text)
    const shown = (await load('secret.yaml')).sources.get('secret.yaml')
    expect(shown).toBe(text.replace(written, expected))
  })
})

describe('images of icons', () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>'
  const limit = 2 * 2 ** 20

  it.each([
    ['accepted up to the limit', limit, ''],
    [
      'refused beyond it',
      limit + 1,
      'has 2097153 bytes\n  3 |   a: { name: A, image: a.svg }\n    |                        ^^^^^\n',
    ],
  ])('are %s', async (_, size, expected) => {
    writeFileSync(join(cwd, 'a.svg'), svg.padEnd(size))
    writeFileSync(join(cwd, 'icons.yaml'), 'manifest: test\nicons:\n  a: { name: A, image: a.svg }\n')
    const loaded = await load('icons.yaml')
    expect(printIssues(loaded)).toContain(expected)
    expect(loaded.issues).toHaveLength(expected === '' ? 0 : 1)
  })
})
