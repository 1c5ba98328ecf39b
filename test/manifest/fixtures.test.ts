import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { manifestProblems } from '../../src/contract/problems/manifest.ts'
import { loadManifest } from '../../src/manifest/load_manifest.ts'
import { fixtureEnv, fixtures, listCases, printIssues } from '../support/fixtures.ts'

const load = (path: string) => loadManifest({ paths: [path], env: fixtureEnv, cwd: fixtures })
const bad = listCases('bad')

describe('a bad manifest', () => {
  it.each(bad)('$name is rejected with the expected issues', async ({ name, path }) => {
    const loaded = await load(path)
    const expected = `${fixtures}/bad/${name}.txt`
    expect(existsSync(expected) || process.env.BLESS === '1', `${expected} is missing`).toBe(true)
    await expect(printIssues(loaded)).toMatchFileSnapshot(expected)
    expect(loaded.issues).not.toEqual([])
  })

  it.each(bad)('$name returns a manifest only if all issues are warnings', async ({ path }) => {
    const { manifest, issues } = await load(path)
    expect(manifest === undefined).toBe(issues.some(({ severity }) => severity === 'error'))
  })

  it.each(bad)('$name never shows values of variables or secrets', async ({ path }) => {
    const loaded = await load(path)
    expect(printIssues(loaded)).not.toMatch(/hunter2/)
    expect(JSON.stringify(loaded.issues)).not.toMatch(/hunter2/)
  })

  it.each(bad)('$name has spans within its files', async ({ path }) => {
    const { issues, sources } = await load(path)
    for (const { span, message } of issues.filter(({ code }) => code !== 'file/encoding')) {
      const line = sources.get(span?.file ?? '')?.split(/\r?\n/)[(span?.line ?? 0) - 1]
      expect(line, message).toBeDefined()
      expect(span?.column, message).toBeLessThanOrEqual((line?.length ?? 0) + 1)
    }
  })
})

describe('the fixtures', () => {
  it('cover every code for files of users', async () => {
    const loaded = await Promise.all(bad.map(({ path }) => load(path)))
    const seen = new Set(loaded.flatMap(({ issues }) => issues.map(({ code }) => code)))
    const elsewhere = ['file/too-large', 'manifest/invalid', 'yaml/edit']
    expect([...seen, ...elsewhere].sort()).toEqual(
      expect.arrayContaining(Object.keys(manifestProblems).sort()),
    )
  })
})
