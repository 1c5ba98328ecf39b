import { describe, expect, it } from 'vitest'
import { type Case, codesOf, planningOf, planOf, tell } from '../support/literals.ts'

const half = { complete: false, administrator: false, caller: 'ada' }
const blocks: Case['blocks'] = {
  city: {},
  roads: { cls: 'vector_layer', parent: 'city' },
  style: { cls: 'mapsrv_style', parent: 'roads' },
}
const sightOf = (unreadable: readonly string[] | undefined, creatable: Record<number, string[]>) => ({
  unreadable: unreadable === undefined ? undefined : new Set(unreadable),
  creatable: new Map(Object.entries(creatable).map(([id, classes]) => [Number(id), new Set(classes)])),
})
const unknownOf = (one: Case) => planOf(one).unknown.map(({ key, reason }) => `${key}: ${reason}`)

describe('a resource that the account cannot read', () => {
  it('is looked up before planning, unless the whole tree was read', () => {
    const asked = planningOf({ blocks, rows: [], head: half })
    expect(asked.unsure).toEqual({ keynames: ['city', 'roads', 'style'], parents: [0] })
    const all = [{ administrator: true }, { complete: true }]
    for (const head of all)
      expect(planningOf({ blocks, rows: [], head: { ...half, ...head } })).toMatchObject({
        unsure: { keynames: [], parents: [] },
        plan: { unknown: [], changes: { length: 3 } },
      })
  })

  it('is unknown, with its descendants, and never created', () => {
    const one: Case = {
      blocks,
      rows: [],
      head: half,
      visibility: sightOf(['city'], { 0: ['resource_group'] }),
    }
    const plan = planOf(one)
    expect(tell(plan)).toEqual([])
    expect(unknownOf(one)).toEqual([
      'city: exists, but this account cannot read it',
      'roads: below "city", which is unknown',
      'style: below "roads", which is unknown',
    ])
    expect(plan.issues.map(({ code, message, hint }) => [code, message, hint])).toEqual([
      [
        'plan/unknown',
        '"city" exists, but user "ada" cannot read it; 2 resources below it are also unknown',
        'Use an account that has resource.read on "city".',
      ],
    ])
  })

  it('is unknown if the account cannot create it and the server does not report it', () => {
    for (const unreadable of [[], undefined]) {
      const one: Case = { blocks, rows: [], head: half, visibility: sightOf(unreadable, { 0: ['webmap'] }) }
      expect([tell(planOf(one)), planOf(one).unknown.length]).toEqual([[], 3])
      expect(planOf(one).issues[0]).toMatchObject({
        message:
          'user "ada" can neither see "city" nor create a resource_group in "Main"; 2 resources below it are also unknown',
      })
    }
  })

  it('is known to be missing if the server reports that and the account may create it', () => {
    const one: Case = { blocks, rows: [], head: half, visibility: sightOf([], { 0: ['resource_group'] }) }
    expect(tell(planOf(one))).toEqual(['create city', 'create roads', 'create style'])
    expect(codesOf(planOf(one))).toEqual([])
  })

  it('may have an old key, or the position of a visible resource', () => {
    const moved: Case = {
      blocks: { city: { was: 'town' }, roads: { cls: 'resource_group', parent: 'city' } },
      rows: [{ id: 5, key: 'roads' }],
      head: half,
      visibility: sightOf(['town'], { 0: ['resource_group'] }),
    }
    expect(tell(planOf(moved))).toEqual([])
    expect(unknownOf(moved)).toHaveLength(2)
  })

  it('may be one that the manifest only refers to', () => {
    const one: Case = {
      blocks: { theirs: { existing: true }, mine: { parent: 'theirs' } },
      rows: [],
      head: half,
      visibility: sightOf([], {}),
    }
    expect([tell(planOf(one)), unknownOf(one)]).toEqual([[], ['mine: below "theirs", which is unknown']])
    expect(codesOf(planOf(one))).toEqual(['plan/missing'])
  })
})
