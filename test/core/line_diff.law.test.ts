import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatPatch } from '../../src/core/line_diff.ts'

const numRuns = process.env.LANDFORM_SOAK ? 2000 : 50

describe('formatPatch', () => {
  it('is read by git apply', () => {
    const folder = mkdtempSync(join(tmpdir(), 'landform-patch-'))
    const line = fc.constantFrom('a', 'b', 'c', '', '  d: 1')
    const text = fc.array(line, { minLength: 1, maxLength: 12 }).map((lines) => `${lines.join('\n')}\nend\n`)
    const change = fc.record({ from: text, to: text }).filter(({ from, to }) => from !== to)
    const changes = fc.sample(change, { numRuns, seed: 20_240_603 })
    try {
      // One patch for all cases, each a file: starting git takes longer than all of them.
      for (const [at, { from }] of changes.entries()) writeFileSync(join(folder, `f${at}`), from)
      const patch = changes.map(({ from, to }, at) => `${formatPatch(`f${at}`, from, to)}\n`)
      writeFileSync(join(folder, 'p'), patch.join(''))
      execFileSync('git', ['apply', '--unsafe-paths', 'p'], {
        cwd: folder,
        env: { ...process.env, GIT_DIR: folder },
      })
      const applied = changes.map((_, at) => readFileSync(join(folder, `f${at}`), 'utf8'))
      expect(applied).toEqual(changes.map(({ to }) => to))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
