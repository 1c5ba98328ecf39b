import { describe, expect, it } from 'vitest'
import type { CatalogPlan } from '../../../src/reconcile/catalog/plan_catalog.ts'
import { guidOf, planRecords, readingOf } from '../support/catalog_literals.ts'

const tell = ({ changes }: CatalogPlan) =>
  changes.flatMap(({ action, record, key, edits }) =>
    edits.length === 0
      ? [`${action} ${record} ${key}`]
      : edits.map(({ pointer }) => `${action} ${record} ${key} ${pointer}`),
  )
const codesOf = ({ issues }: CatalogPlan) =>
  issues.map(({ code, severity }) => (severity === 'warning' ? `(${code})` : code))
const messagesOf = ({ issues }: CatalogPlan) => issues.map(({ message, hint }) => `${message}. ${hint}`)

describe('identity of records', () => {
  it('finds a record by its key, and does not change it if it matches', () => {
    const plan = planRecords({ services: { a: {} }, there: readingOf([{ id: 1, keyname: 'a' }]) })
    expect([tell(plan), plan.unchanged, codesOf(plan)]).toEqual([[], 1, []])
  })

  it('creates missing records with their keyname and marker, icons first', () => {
    const plan = planRecords({ services: { s: { icon: 'i' } }, icons: { i: {} } })
    expect(plan.changes.map(({ action, body, image }) => [action, body, image])).toEqual([
      [
        'create',
        { icon: { name: 'i', keyname: 'i', manifest: 'test' } },
        { path: '/m/i.svg', source: 'i.svg' },
      ],
      [
        'create',
        {
          geoservice: {
            type: 'geojson',
            name: 's',
            url: 'https://example.org/a.json',
            icon: 'i',
            keyname: 's',
            manifest: 'test',
          },
        },
        undefined,
      ],
    ])
  })

  it('keeps icons and geoservices of the same key apart', () => {
    const there = readingOf([{ id: 1, keyname: 'a' }], [{ id: 1, keyname: 'a' }])
    expect(tell(planRecords({ services: { a: {} }, icons: { a: {} }, there }))).toEqual([])
  })

  it('finds a record by its old key, and changes the key', () => {
    const there = readingOf([{ id: 1, keyname: 'old', name: 'b' }])
    const plan = planRecords({ services: { b: { was: 'old' } }, there })
    expect(tell(plan)).toEqual(['update geoservice b /keyname'])
    expect(plan.changes[0]?.body).toEqual({ geoservice: { keyname: 'b' } })
  })

  it('reports that an old key is obsolete', () => {
    const there = readingOf([{ id: 1, keyname: 'b' }])
    expect(codesOf(planRecords({ services: { b: { was: 'old' } }, there }))).toEqual(['(plan/spent)'])
  })

  it('adopts a record without a key by its guid, whatever its name', () => {
    const there = readingOf([{ id: 5, name: 'Other', manifest: null }])
    const plan = planRecords({ services: { a: { guid: guidOf(5) } }, there })
    expect(tell(plan)).toEqual(['update geoservice a /keyname', 'update geoservice a /name'])
    expect(plan.changes[0]).toMatchObject({ id: 5, version: 1, adopts: true })
  })

  it('refuses the guid of a record with another key', () => {
    const there = readingOf([{ id: 5, keyname: 'b', manifest: null }])
    const plan = planRecords({ services: { a: { guid: guidOf(5), name: 'A' } }, there })
    expect(messagesOf(plan)[0]).toBe(
      '"a" is ambiguous: its guid belongs to "b". If it was renamed, add was: b.',
    )
  })

  it('adopts a record without a key by type and name', () => {
    const there = readingOf([{ id: 5, name: 'a', manifest: null }], [{ id: 3, name: 'i', manifest: null }])
    expect(tell(planRecords({ services: { a: {} }, icons: { i: {} }, there }))).toEqual([
      'update icon i /keyname',
      'update geoservice a /keyname',
    ])
  })

  it('refuses the name of a record of another type', () => {
    const there = readingOf([{ id: 5, name: 'a', type: 'wms', manifest: null }])
    expect(messagesOf(planRecords({ services: { a: {} }, there }))).toEqual([
      'the name "a" is in use by geoservice #5. Choose another name, or rename the other record.',
    ])
  })

  it('accepts a name that the plan frees, also in exchange', () => {
    const there = readingOf([
      { id: 1, keyname: 'a', name: 'A' },
      { id: 2, keyname: 'b', name: 'B' },
    ])
    const plan = planRecords({ services: { a: { name: 'B' }, b: { name: 'A' } }, there })
    expect([tell(plan), codesOf(plan)]).toEqual([
      ['update geoservice a /name', 'update geoservice b /name'],
      [],
    ])
  })

  it('reports a possible rename, and changes neither record', () => {
    const there = readingOf([{ id: 1, keyname: 'old', name: 'new' }])
    const plan = planRecords({ services: { new: {} }, there, options: { prune: true } })
    expect([tell(plan), codesOf(plan)]).toEqual([[], ['plan/renamed']])
    expect(plan.issues[0]?.hint).toBe('If it was renamed, add was: old.')
  })

  it('refuses two blocks for the same record', () => {
    const there = readingOf([{ id: 1, keyname: 'a' }])
    const plan = planRecords({ services: { a: {}, b: { was: 'a' } }, there })
    expect(codesOf(plan)).toContain('plan/ambiguous')
  })
})

describe('ownership of records', () => {
  it('adopts an unmanaged record by setting its marker only', () => {
    const there = readingOf([{ id: 1, keyname: 'a', manifest: null }])
    const plan = planRecords({ services: { a: {} }, there })
    expect(tell(plan)).toEqual(['adopt geoservice a'])
    expect(plan.changes[0]?.body).toEqual({ geoservice: { manifest: 'test' } })
  })

  it('does not change records of another manifest, unless adopted', () => {
    const there = readingOf([{ id: 1, keyname: 'a', manifest: 'other', epsg: 3857 }])
    const plan = planRecords({ services: { a: {} }, there })
    expect([tell(plan), codesOf(plan)]).toEqual([[], ['plan/foreign']])
    expect(plan.issues[0]?.hint).toContain('Adopt it with --adopt')
    const adopted = planRecords({ services: { a: {} }, there, options: { adopt: true } })
    expect(tell(adopted)).toEqual(['update geoservice a /epsg'])
  })
})

describe('members of records', () => {
  it('returns omitted members to their defaults', () => {
    const there = readingOf([
      { id: 1, keyname: 'a', type: 'tms', url: 'https://example.org/{q}', z_max: 9, y_origin_top: true },
    ])
    const plan = planRecords({ services: { a: { type: 'tms', url: 'https://example.org/{q}' } }, there })
    expect(plan.changes[0]?.edits).toEqual([
      { pointer: '/z_max', from: 9, to: null },
      { pointer: '/y_origin_top', from: true, to: false },
    ])
  })

  it('ignores the spelling of a boundary', () => {
    const boundary = 'SRID=4326;MULTIPOLYGON (((1 1, 2 1, 2 2, 1 1)))'
    const there = readingOf([{ id: 1, keyname: 'a', boundary }])
    expect(tell(planRecords({ services: { a: { boundary: 'POLYGON((1 1,2 1,2 2))' } }, there }))).toEqual([])
    expect(tell(planRecords({ services: { a: { boundary: 'POLYGON((1 1,2 1,2 3))' } }, there }))).toEqual([
      'update geoservice a /boundary',
    ])
  })

  it('compares icons by key, and by id outside the manifest', () => {
    const icons = [
      { id: 7, keyname: 'i' },
      { id: 8, manifest: null },
    ]
    const services = { a: { icon: 'i' }, b: { icon: { id: 8 } }, c: { icon: 'i' } }
    const rows = [
      { id: 1, keyname: 'a', icon: 7 },
      { id: 2, keyname: 'b', icon: 8 },
      { id: 3, keyname: 'c', icon: 8 },
    ]
    const plan = planRecords({ services, icons: { i: {} }, there: readingOf(rows, icons) })
    expect(plan.changes.map(({ edits }) => edits)).toEqual([
      [{ pointer: '/icon', from: { id: 8, name: '#8' }, to: 'i' }],
    ])
    expect(plan.icons).toEqual(new Map([['i', 7]]))
  })

  it('compares icons by guid, here and in the manifest', () => {
    const icons = [
      { id: 7, keyname: 'i' },
      { id: 8, manifest: null },
    ]
    const there = readingOf(
      [
        { id: 1, keyname: 'a', icon: 7 },
        { id: 2, keyname: 'b', icon: null },
      ],
      icons,
    )
    const services = {
      a: { icon: { guid: guidOf(7) } },
      b: { icon: { guid: guidOf(8).toUpperCase() } },
      c: { icon: { guid: guidOf(9) } },
      d: { icon: { guid: guidOf(10) } },
    }
    const plan = planRecords({ services, icons: { i: {}, k: { guid: guidOf(9) } }, there })
    const bodies = plan.changes.flatMap(({ key, body }) => (key === 'k' ? [] : [body.geoservice?.icon]))
    expect(bodies).toEqual([{ id: 8 }, 'k', { guid: guidOf(10) }])
    expect(plan.issues.map(({ message }) => message)).toEqual([
      `the catalog has no icon with guid ${guidOf(10)}`,
    ])
    const [edit] = plan.changes.find(({ key }) => key === 'b')?.edits ?? []
    expect(edit).toEqual({ pointer: '/icon', from: null, to: { id: 8, name: '#8' } })
  })

  it('stores an image again only if it has another digest', () => {
    const there = readingOf([], [{ id: 7, keyname: 'i' }])
    expect(tell(planRecords({ icons: { i: {} }, there }))).toEqual([])
    const plan = planRecords({ icons: { i: {} }, there, digests: { i: 'ab'.repeat(32) } })
    expect(plan.changes[0]).toMatchObject({
      action: 'update',
      image: { path: '/m/i.svg' },
      body: { icon: {} },
      edits: [{ pointer: '/image', from: '(sha256 d1d1d1d1d1d1)', to: 'i.svg (sha256 abababababab)' }],
    })
  })

  it('replaces a record of another type or guid only on request', () => {
    const there = readingOf([{ id: 1, keyname: 'a', type: 'wms' }])
    const plan = planRecords({ services: { a: {} }, there })
    expect(codesOf(plan)).toEqual(['plan/replace'])
    expect(plan.issues[0]?.hint).toContain('--replace a')
    const replaced = planRecords({ services: { a: {} }, there, options: { replace: new Set(['a']) } })
    expect(replaced.changes).toEqual([expect.objectContaining({ action: 'replace', id: 1, version: 1 })])
    expect(codesOf(replaced)).toEqual([])
    const other = planRecords({ services: { a: { type: 'wms', guid: guidOf(2) } }, there })
    expect(codesOf(other)).toEqual(['plan/replace'])
  })

  it('gives services the new id of a replaced icon', () => {
    const there = readingOf([{ id: 1, keyname: 'a', icon: 7 }], [{ id: 7, keyname: 'i' }])
    const plan = planRecords({
      services: { a: { icon: 'i' } },
      icons: { i: { guid: guidOf(99) } },
      there,
      options: { replace: new Set(['i']) },
    })
    expect(tell(plan)).toContain('update geoservice a /icon')
    expect(plan.icons.has('i')).toBe(false)
  })
})

describe('deletion of records', () => {
  const rows = Array.from({ length: 10 }, (_, at) => ({ id: at + 1, keyname: `k${at + 1}` }))
  const kept = (count: number) => Object.fromEntries(rows.slice(0, count).map(({ keyname }) => [keyname, {}]))

  it('only reports records that are no longer in the manifest without --prune', () => {
    const plan = planRecords({ services: kept(9), there: readingOf(rows) })
    expect([tell(plan), codesOf(plan)]).toEqual([[], ['(plan/orphan)']])
  })

  it('deletes only what this manifest manages, up to the limit', () => {
    const others = [
      { id: 20, keyname: 'x', manifest: 'other' },
      { id: 21, keyname: 'y', manifest: null },
    ]
    const there = readingOf([...rows, ...others])
    const plan = planRecords({ services: kept(9), there, options: { prune: true } })
    expect([tell(plan), codesOf(plan)]).toEqual([['delete geoservice k10'], []])
    expect(plan.changes[0]).toMatchObject({ id: 10, version: 1 })
    const beyond = planRecords({ services: kept(8), there, options: { prune: true } })
    expect(messagesOf(beyond)).toEqual([
      'the plan would delete 2 of 10 records of this manifest, more than 10 %. If the deletion is intended, use --allow-delete k9 --allow-delete k10.',
    ])
    const allowed = { prune: true, allowDelete: new Set(['k9']) }
    expect(codesOf(planRecords({ services: kept(8), there, options: allowed }))).toEqual([])
  })

  it('reports the services that lose a deleted icon', () => {
    const options = { prune: true, allowDelete: new Set(['i']) }
    const there = readingOf(
      [
        { id: 1, keyname: 'a', icon: 7 },
        { id: 2, keyname: 'b', icon: 7, manifest: 'other' },
      ],
      [{ id: 7, keyname: 'i' }],
    )
    const plan = planRecords({ services: { a: {} }, there, options })
    expect(tell(plan)).toEqual(['update geoservice a /icon', 'delete icon i'])
    expect(messagesOf(plan)).toEqual([
      'deleting "i" would remove the icon from "b" (geoservice). If the loss is intended, use --allow-loss b.',
    ])
    const lost = { ...options, allowLoss: new Set(['b']) }
    expect(codesOf(planRecords({ services: { a: {} }, there, options: lost }))).toEqual([])
  })
})

describe('a catalog that cannot be read', () => {
  it('is unknown, and nothing is created', () => {
    const plan = planRecords({ services: { a: {} }, icons: { i: {} }, there: 'denied' })
    expect(tell(plan)).toEqual([])
    expect(plan.unknown).toEqual([
      { key: 'i', cls: 'icon', path: ['i'], reason: 'this account cannot manage the catalog' },
      { key: 'a', cls: 'geoservice', path: ['a'], reason: 'this account cannot manage the catalog' },
    ])
    expect(codesOf(plan)).toEqual(['plan/unknown'])
  })

  it('is reported once if the server has none', () => {
    const plan = planRecords({ services: { a: {}, b: {} }, there: 'absent' })
    expect([tell(plan), codesOf(plan)]).toEqual([[], ['catalog/absent']])
  })
})
