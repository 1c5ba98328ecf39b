import { describe, expect, it } from 'vitest'
import { ApplyState } from '../../../src/cli/print/apply_state.ts'
import { describeApply, drawApply, treeOfChanges } from '../../../src/cli/print/apply_tree.ts'
import { painter } from '../../../src/cli/print/text_format.ts'
import type { Change } from '../../../src/reconcile/model/change.ts'

const made = (path: readonly string[], more: Partial<Change> = {}): Change => ({
  action: 'create',
  key: (path.at(-1) ?? '').toLowerCase(),
  cls: 'resource_group',
  displayName: path.at(-1) ?? '',
  path: ['Main', ...path],
  edits: [],
  body: {},
  ...more,
})
const dataOf = (sizeBytes: number) => {
  const source = { path: '/r.gpkg', source: 'r.gpkg', options: {}, version: 1 }
  return { data: { ...source, sizeBytes, reason: 'new' } as const }
}

const city = made(['City'])
const roads = made(['City', 'Roads'], dataOf(40_000_000))
const style = made(['City', 'Roads', 'Grey'], { key: 'roads_style' })
const map = made(['City', 'Map'], { action: 'update' })
const ada = made(['Ada'], { key: 'ada', record: 'user', path: ['Ada'] })
const changes = [ada, city, roads, style, map]

function draw(state: ApplyState, size: { width?: number; height?: number; nowMs?: number } = {}) {
  const { width = 100, height = 24, nowMs = 1000 } = size
  const view = { state, tree: treeOfChanges(state.changes), paint: painter(false), nowMs }
  return drawApply(view, { width, height }).map((line) => line.replace(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, '@'))
}

const finish = (change: Change, outcome: 'created' | 'failed' = 'created') =>
  ({ type: 'finished', outcome: { change, outcome } }) as const

describe('the tree of an apply', () => {
  it('shows uploads with bytes and remaining time before the changes are sent', () => {
    const state = new ApplyState(changes, 0)
    state.take({ type: 'started', change: roads }, 100)
    state.take({ type: 'uploading', change: roads, sentBytes: 20_000_000, sizeBytes: 40_000_000 }, 1000)
    expect(draw(state, { nowMs: 4000 })).toEqual([
      '@ ████░░░░░░░░░░░░░░░░ 0 of 1 upload done, 5 changes to make, 24 %, 4.0 s, about 12 s left',
      '  Users and groups  0 of 1',
      '    · + ada',
      '  · + Main / City  0 of 1 upload',
      '    · ~ map',
      '    @ + Roads  20.0 MB of 40.0 MB, 3.9 s  0 of 1 upload',
      '      · + roads_style',
    ])
    state.take(
      { type: 'loading', change: roads, progress: { step: 'writing', features: 5, total: 10 } },
      5000,
    )
    state.take({ type: 'prepared', change: roads }, 6000)
    state.take({ type: 'sending', changes: 5 }, 7000)
    expect(draw(state, { nowMs: 9000 }).slice(0, 1)).toEqual(['@ 5 changes sent in one request, 2.0 s'])
    for (const change of changes) state.take(finish(change), 9500)
    expect(draw(state, { nowMs: 9500 })).toEqual([
      '@ ████████████████████ 5 of 5 changes done, 100 %, 9.5 s',
      '  Users and groups  ✓ 1',
      '    ✓ + ada',
      '  ✓ + Main / City  ✓ 4',
      '    ✓ ~ map',
      '    ✓ + Roads  ✓ 2',
      '      ✓ + roads_style',
    ])
  })

  it('draws only branches with running and failed changes where the tree does not fit', () => {
    const many = ['North', 'South', 'West'].flatMap((name) => [
      made([name]),
      ...Array.from({ length: 3000 }, (_, at) => made([name, `Layer ${at}`], { key: `${name}_${at}` })),
    ])
    const state = new ApplyState(many, 0)
    for (const change of many.slice(0, 4000)) state.take(finish(change), 900)
    for (const change of many.slice(4000, 4002)) state.take({ type: 'started', change }, 950)
    state.take(finish(many[4002] ?? made(['']), 'failed'), 960)
    const drawn = [
      '    ✓ + South  1,000 of 3,001, 1 failed',
      '      @ + South_998',
      '      @ + South_999',
      '      ✗ + South_1000',
    ]
    const head = '@ ████████░░░░░░░░░░░░ 4,001 of 9,003 changes done, 1 failed, 44 %, 1.0 s'
    expect(draw(state, { height: 8 })).toEqual([head, '  Main  4,001 of 9,003, 1 failed', ...drawn])
    expect(draw(state, { height: 5 }).slice(1)).toEqual([
      '  Main  4,001 of 9,003, 1 failed',
      ...drawn.slice(0, 1),
      '  … 2 changes running',
    ])
    expect(draw(state, { height: 24, width: 40 }).slice(0, 2)).toEqual([
      head.replace(/[█░]+ /, ''),
      '  Main  4,001 of 9,003, 1 failed',
    ])
    expect(draw(state, { height: 12 })).toContain('    ✓ + North  ✓ 3,001')
  })

  it('estimates the remaining time by the size of data, and not from too little', () => {
    const small = made(['Small'], dataOf(1_000_000))
    const large = made(['Large'], dataOf(9_000_000))
    const state = new ApplyState([small, large], 0)
    expect(state.remainingMs(60_000)).toBeUndefined()
    state.take(finish(small), 3000)
    expect(Math.round((state.remainingMs(3000) ?? 0) / 1000)).toBe(26)
    state.take(finish(large), 20_000)
    expect(describeApply(state, 20_000)).toBe('2 of 2 changes done, 100 %, 20 s')
  })

  it('escapes names of other users', () => {
    const state = new ApplyState([made(['A\u001b[2J', 'B']), made(['A\u001b[2J', 'C'])], 0)
    expect(draw(state)[1]).toBe('  Main / A\\u001b[2J  0 of 2')
  })
})
