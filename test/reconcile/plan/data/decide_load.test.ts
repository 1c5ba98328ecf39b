import { describe, expect, it } from 'vitest'
import { formatSource } from '../../../../src/contract/markers.ts'
import { problem } from '../../../../src/contract/problems.ts'
import type { WantedData } from '../../../../src/manifest/manifest.ts'
import { sourceDigest } from '../../../../src/reconcile/plan/data/decide_load.ts'
import type { DataChange } from '../../../../src/transfer/data_loss.ts'
import { FeaturePatch } from '../../../../src/transfer/sync/feature_patch.ts'
import { codesOf, planningOf, type Row } from '../../support/literals.ts'

const sha256 = 'a'.repeat(64)
const data = { path: '/x/roads.geojson', source: 'roads.geojson', options: { fix_errors: 'LOSSY' } }
const files = new Map([['a', { sha256, sizeBytes: 10 }]])
const layerOf = (marker: string | undefined, version: number, more: Partial<Row> = {}): Row => ({
  id: 1,
  key: 'a',
  cls: 'vector_layer',
  meta: marker === undefined ? {} : { 'landform.source': marker },
  members: { vector_layer: { data_version: version } },
  ...more,
})
const marker = (version: number, options: object = data.options) =>
  formatSource({ digest: sourceDigest(sha256, options as Record<string, unknown>), version })

interface Told {
  readonly count?: number | null
  readonly overwrite?: boolean
  readonly editor?: string | null
  readonly edits?: { since: number; features: number[] }[]
  readonly data?: Partial<WantedData>
  readonly allowLoss?: boolean
  readonly foreign?: boolean
  readonly fields?: readonly string[]
  readonly change?: DataChange
}

const at = '2026-01-02T03:04:05'

const noLoss = { lostFields: [], lostAttachments: 0, lostDescriptions: 0 }

const fieldsOf = (names: readonly string[]) => names.map((keyname) => ({ keyname, datatype: 'STRING' }))

const withFields = ({ members, ...row }: Row, names: readonly string[]): Row => ({
  ...row,
  members: { ...members, feature_layer: { fields: fieldsOf(names).map((field, id) => ({ id, ...field })) } },
})

const planData = (row: Row | undefined, more: Told = {}) =>
  planningOf({
    blocks: {
      a: {
        cls: 'vector_layer',
        data: { ...data, ...more.data },
        ...(more.fields === undefined
          ? {}
          : { members: { feature_layer: { fields: fieldsOf(more.fields) } } }),
      },
    },
    ...(more.foreign ? { head: { landform: undefined } } : {}),
    loads: new Map([['a', more.change ?? null]]),
    rows: row === undefined ? [] : [row],
    files,
    ...(more.editor === undefined
      ? {}
      : {
          contents: new Map([
            [
              1,
              {
                ...{ id: 1, changed: at, user: 'bob', data_changed: at, data_user: more.editor },
                ...(more.edits === undefined ? {} : { changed_features: more.edits }),
              },
            ],
          ]),
        }),
    counts: more.count === undefined ? new Map() : new Map([[1, more.count]]),
    options: {
      overwriteData: new Set(more.overwrite ? ['a'] : []),
      allowLoss: new Set(more.allowLoss ? ['a'] : []),
    },
  })

const decide = (row: Row | undefined, more: Told = {}) => {
  const { plan, uncounted } = planData(row, more)
  return { load: plan.changes[0]?.data, codes: codesOf(plan), uncounted }
}

describe('the data of a layer', () => {
  it('are loaded into a new layer', () => {
    expect(decide(undefined).load).toMatchObject({
      reason: 'new',
      version: 1,
      options: { fix_errors: 'LOSSY' },
    })
  })

  it('of a new layer are read before the plan is final, and their faults are errors of the plan', () => {
    const blocks = { a: { cls: 'vector_layer' as const, data } }
    const unread = (more: object = {}) => planningOf({ blocks, rows: [], files, ...more }).unread
    expect(unread().map(({ wanted, actual }) => [wanted.key, actual])).toEqual([['a', undefined]])
    const fault = problem('source/layers', 'the source has 2 layers: x, y', { hint: 'Choose one.' })
    const loads = new Map([['a', fault]])
    expect(unread({ loads })).toEqual([])
    const [issue] = planningOf({ blocks, rows: [], files, loads }).plan.issues
    expect(issue).toMatchObject({ code: 'source/layers', severity: 'error', hint: 'Choose one.' })
    const elsewhere = { head: { landform: undefined } }
    expect(unread(elsewhere)).toEqual([])
  })

  it('are loaded with a warning if a listed field looks like a misspelt one of the source', () => {
    const warn = (names: readonly string[], filledFields: readonly string[]) =>
      planningOf({
        blocks: {
          a: { cls: 'vector_layer', data, members: { feature_layer: { fields: fieldsOf(names) } } },
        },
        rows: [],
        files,
        loads: new Map([['a', { ...noLoss, before: 0, after: 2, filledFields }]]),
      }).plan.issues.map(({ code, severity, hint }) => [code, severity, hint])
    expect(warn(['name', 'nmae'], ['name'])).toEqual([])
    expect(warn(['name', 'empty'], ['name', 'lanes'])).toEqual([])
    expect(warn(['lanes', 'nmae'], ['name', 'lanes'])).toEqual([
      ['plan/field-empty', 'warning', 'did you mean "name"?'],
    ])
  })

  it('are kept if file, options and features match the marker', () => {
    expect(decide(layerOf(marker(3), 3))).toEqual({ load: undefined, codes: [], uncounted: [] })
  })

  it('are loaded when the file has changed', () => {
    const other = formatSource({ digest: sourceDigest('b'.repeat(64), data.options), version: 3 })
    expect(decide(layerOf(other, 3)).load).toMatchObject({ reason: 'source changed', version: 4 })
  })

  it('are loaded when the options have changed', () => {
    expect(decide(layerOf(marker(3, {}), 3)).load?.reason).toBe('source changed')
  })

  it('are loaded when the plan adds a field, under the rules for losses', () => {
    const plan = (told: Told) =>
      decide(withFields(layerOf(marker(3), 3), ['name']), { ...told, fields: ['name', 'lanes'] })
    expect(plan({}).uncounted).toEqual([1])
    expect(plan({ count: 12 })).toMatchObject({
      load: { reason: 'fields added', version: 4, before: 12, lossFuse: 0.1 },
      codes: [],
    })
    expect(plan({ count: 12, foreign: true }).codes).toEqual(['data/loss'])
    expect(plan({ count: 12, data: { mode: 'seed' } }).load).toBeUndefined()
    const edited = decide(withFields(layerOf(marker(3), 5), ['name']), {
      count: 12,
      fields: ['name', 'lanes'],
    })
    expect(edited.codes).toEqual(['plan/data-edited'])
  })

  it('stay when fields change or are dropped', () => {
    const plan = (fields: readonly string[]) =>
      decide(withFields(layerOf(marker(3), 3), ['name', 'lanes']), { count: 12, fields }).load
    expect([plan(['name']), plan(['lanes', 'name'])]).toEqual([undefined, undefined])
  })

  it('do not overwrite features that were edited on the server, unless allowed', () => {
    const edited = decide(layerOf(marker(3), 5), { count: 7 })
    expect(edited.load).toMatchObject({
      reason: 'data changed on the server',
      version: 6,
      before: 7,
      edited: { changes: 2 },
    })
    expect(edited.codes).toEqual(['plan/data-edited'])
    const other = formatSource({ digest: sourceDigest('b'.repeat(64), data.options), version: 3 })
    expect(decide(layerOf(other, 4), { count: 7 })).toMatchObject({
      load: { reason: 'source changed', edited: { changes: 1 } },
      codes: ['plan/data-edited'],
    })
    const row = layerOf(marker(3), 5)
    expect(decide(row, { count: 7, overwrite: true })).toMatchObject({
      load: { reason: 'requested', edited: { changes: 2 } },
      codes: [],
    })
    expect(decide(row, { count: 7, data: { mode: 'replace' } }).codes).toEqual([])
    expect(decide(row, { count: 7, data: { mode: 'seed' } })).toEqual({
      load: undefined,
      codes: [],
      uncounted: [],
    })
  })

  it('that were edited are reported with the last writer, who is read before the plan is final', () => {
    const tellEdits = (row: Row, more: Told = {}) => {
      const { plan, unreadContents } = planData(row, { count: 7, ...more })
      return [unreadContents, plan.issues[0]?.message]
    }
    const end = 'and loading the source would overwrite the edits'
    const row = layerOf(marker(3), 5)
    expect(tellEdits(row)).toEqual([
      [1],
      `the data of "a" were edited on the server 2 times since the last load, ${end}`,
    ])
    expect(tellEdits(row, { editor: 'anna' })).toEqual([
      [],
      `the data of "a" were edited on the server 2 times since the last load, last by anna at 2026-01-02 03:04:05 UTC, ${end}`,
    ])
    const named = (edits: NonNullable<Told['edits']>) =>
      /load(.*), last/.exec(String(tellEdits(row, { editor: null, edits })[1]))?.[1]
    const last = { since: 4, features: [7, 9] }
    expect(named([last, { since: 3, features: [8, 7] }])).toBe(' (features 7, 8 and 9)')
    expect(named([last])).toBe(' (features 7, 9 and others)')
    // Some of these may have changed before the load.
    expect(named([last, { since: 2, features: [1] }])).toBe(' (features 7, 9 and others)')
    expect(named([{ since: 3, features: [...Array(12).keys()] }])).toMatch(/\(features 0, .*, 9 and others\)/)
    expect(named([])).toBe('')
    expect(tellEdits(row, { editor: null })[1]).toContain('load, last at 2026-01-02 03:04:05 UTC, and')
    expect(tellEdits(layerOf(marker(3), 3))).toEqual([[], undefined])
  })

  it('overwrite no edits if a synchronization finds that nothing differs', () => {
    const plan = (patch: FeaturePatch) => {
      const counts = { added: 0, changed: patch.count, removed: 0, unchanged: 2 - patch.count }
      const rest = {
        removedExtensions: { attachments: 0, descriptions: 0 },
        newFields: [],
        missingFields: [],
      }
      const difference = { ...counts, ...rest, examples: [], patch }
      return planData(layerOf(marker(3, {}), 4), {
        data: { mode: 'sync', featureKey: ['name'] },
        change: { before: 2, after: 2, ...noLoss, difference },
      }).plan.changes[0]?.data
    }
    const edited = new FeaturePatch()
    edited.add('{"id":1}')
    expect(plan(edited)).toMatchObject({ version: 5, edited: { changes: 1 } })
    expect(plan(new FeaturePatch())).toMatchObject({ version: 4, sync: { dataVersion: 4 } })
    expect(plan(new FeaturePatch())).not.toHaveProperty('edited')
  })

  it('are counted before they are replaced', () => {
    const other = formatSource({ digest: sourceDigest('b'.repeat(64), data.options), version: 3 })
    expect(decide(layerOf(other, 3)).uncounted).toEqual([1])
    expect(decide(layerOf(other, 3), { count: 12 }).load?.before).toBe(12)
    expect(decide(layerOf(other, 3), { count: null }).load?.before).toBeNull()
  })

  it('may lose a tenth of the features, or as many as the manifest or the caller allows', () => {
    const other = formatSource({ digest: sourceDigest('b'.repeat(64), data.options), version: 3 })
    const fuseOf = (told: Told) => decide(layerOf(other, 3), { count: 12, ...told }).load?.lossFuse
    expect(fuseOf({})).toBe(0.1)
    expect(fuseOf({ allowLoss: true })).toBeUndefined()
    expect(fuseOf({ data: { allowLoss: true } })).toBeUndefined()
  })

  it('are not replaced without a preview on servers that do not count a source before the load', () => {
    const other = formatSource({ digest: sourceDigest('b'.repeat(64), data.options), version: 3 })
    const foreign = (told: Told) => decide(layerOf(other, 3), { foreign: true, ...told }).codes
    expect(foreign({ count: 12 })).toEqual(['data/loss'])
    expect(foreign({ count: null })).toEqual(['data/loss'])
    expect(foreign({ count: 0 })).toEqual([])
    expect(foreign({ count: 12, allowLoss: true })).toEqual([])
  })

  it('are kept if the marker is missing and the layer has features, unless allowed', () => {
    expect(decide(layerOf(undefined, 3)).uncounted).toEqual([1])
    const asked = decide(layerOf(undefined, 3), { count: 7 })
    expect([asked.load, asked.codes]).toEqual([undefined, ['(plan/data-unknown)']])
    expect(decide(layerOf(undefined, 3), { count: null }).codes).toEqual(['(plan/data-unknown)'])
    expect(decide(layerOf(undefined, 3), { overwrite: true }).load?.reason).toBe('requested')
    const same = decide(layerOf(marker(3), 3), { overwrite: true }).load
    const other = decide(layerOf(marker(3, { encoding: 'CP1251' }), 3), { overwrite: true }).load
    expect([same?.isSourceChanged, other?.isSourceChanged]).toEqual([undefined, true])
  })

  it('stay when the account cannot read the marker', () => {
    const row = layerOf(marker(3), 3, { hidden: ['resmeta'] })
    const blocks = { a: { cls: 'vector_layer' as const, data } }
    const { plan } = planningOf({ blocks, rows: [row], files })
    expect(plan.changes).toEqual([])
    expect(plan.issues).toMatchObject([
      {
        code: 'plan/data-unknown',
        severity: 'warning',
        message: expect.stringContaining('cannot read the metadata of "a"'),
        hint: 'Use an account that has metadata.read on "a".',
      },
    ])
  })

  it('are loaded if the marker is missing and the layer is empty', () => {
    expect(decide(layerOf(undefined, 1), { count: 0 }).load?.reason).toBe('new')
  })

  it('have the same digest regardless of the order of the options', () => {
    expect(sourceDigest(sha256, { a: 1, b: 2 })).toBe(sourceDigest(sha256, { b: 2, a: 1 }))
    expect(sourceDigest(sha256, { a: 1 })).not.toBe(sourceDigest(sha256, { a: 2 }))
  })
})
