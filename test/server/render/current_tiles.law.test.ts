import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lonLatOfMercator } from '../../../src/geo/mercator.ts'
import { tileBbox, tileWidth } from '../../../src/geo/tile.ts'
import {
  createShownTree,
  type Found,
  observeFinding,
  readShown,
  type ShownTree,
  shownAddress,
  withoutCaches,
} from '../../support/current_tiles.ts'
import { describeServer, type TestServer } from '../../support/server.ts'

const run = { seed: 20_261_124, numRuns: process.env.LANDFORM_SOAK ? 60 : 2 }

const [left, bottom, right, top] = tileBbox(shownAddress)
const pixel = tileWidth(shownAddress.z) / 256

/** Pixels outside of a tile: within the margin of vector tiles, of heatmaps, of symbols, of labels, and beyond. */
const distance = fc.constantFrom(1, 10, 17, 22, 28, 40, 60, 300, 1500)
const along = (first: number, last: number) =>
  fc.oneof(
    distance.map((pixels) => first - pixels * pixel),
    distance.map((pixels) => last + pixels * pixel),
    fc.nat(256).map((pixels) => first + pixels * pixel),
    fc.nat(256).map((pixels) => first + pixels * pixel),
  )
const one = fc.record({
  kind: fc.constantFrom('create', 'create', 'move', 'move', 'clear', 'value', 'delete'),
  place: fc.tuple(along(left, right), along(bottom, top)),
  pick: fc.nat(1000),
})
const write = fc.record({
  layer: fc.constantFrom('points', 'points', 'polygons', 'degrees'),
  entries: fc.oneof(
    { weight: 9, arbitrary: one.map((entry) => [entry]) },
    { weight: 1, arbitrary: fc.array(one, { maxLength: 30 }) },
  ),
  deletesAll: fc.nat(40).map((number) => number === 0),
})
const steps = fc.array(write, { minLength: 12, maxLength: 14, size: 'max' })

type Write = typeof write extends fc.Arbitrary<infer T> ? T : never

type Entry = Write['entries'][number]

const middle = (bottom + top) / 2
const created = (x: number): Entry => ({ kind: 'create', place: [x, middle], pick: 3 })
const pointsAt = (...entries: Entry[]): Write => ({ layer: 'points', entries, deletesAll: false })

/** A point in the tile, one whose label reaches into it and that forms a cluster with it, many that change the colors of heatmaps. */
const example = [
  pointsAt(created(left + 10 * pixel)),
  pointsAt(created(left - 45 * pixel)),
  pointsAt(...Array.from({ length: 9 }, () => created(right + 1500 * pixel))),
]

/** Known ids of the features of each layer. */
type Features = Map<number, number[]>

async function send(
  { admin }: TestServer,
  { layer: name, entries: list, deletesAll }: Write,
  { tree, features }: { readonly tree: ShownTree; readonly features: Features },
): Promise<void> {
  const layer = tree[name]
  const ids = features.get(layer) ?? []
  const path = `/api/resource/${layer}/feature/`
  if (deletesAll) {
    expect((await admin('DELETE', path)).status).toBe(200)
    features.set(layer, [])
    return
  }
  const gone = new Set<number>()
  const entries = list.flatMap(({ kind, place, pick }): object[] => {
    const geom = geometryAt(name, place)
    const fields = { name: `name ${pick}`, people: pick % 4 }
    const id = ids[pick % Math.max(1, ids.length)]
    if (kind === 'create' || id === undefined) return [{ geom, fields }]
    if (gone.has(id)) return []
    if (kind === 'delete') gone.add(id)
    if (kind === 'move') return [{ id, geom }]
    if (kind === 'value') return [{ id, fields }]
    return kind === 'clear' ? [{ id, geom: null }] : [{ id, delete: true }]
  })
  const answer = await admin('PATCH', `${path}?geom_null=true`, entries)
  expect(answer.status, await answer.clone().text()).toBe(200)
  const written = (await answer.json<{ id: number }[]>()).map(({ id }) => id)
  features.set(
    layer,
    [...new Set([...ids, ...written])].filter((id) => !gone.has(id)),
  )
}

function geometryAt(layer: Write['layer'], [x, y]: readonly [number, number]): string {
  if (layer === 'degrees') return `POINT (${lonLatOfMercator(x, y).join(' ')})`
  if (layer === 'points') return `POINT (${x} ${y})`
  const [maxX, maxY] = [x + 90 * pixel, y + 3 * pixel]
  return `POLYGON ((${x} ${y}, ${maxX} ${y}, ${maxX} ${maxY}, ${x} ${maxY}, ${x} ${y}))`
}

describeServer('cached tiles', (start) => {
  test('equal those of a server that remembers nothing after every write, and some are kept', async () => {
    const server = await start()
    const { context } = server.running
    const tree = await createShownTree(server)
    const features: Features = new Map()
    const kept: Found = { whole: 0, parts: 0 }
    await fc.assert(
      fc.asyncProperty(steps, async (list) => {
        for (const step of list) {
          await send(server, step, { tree, features })
          for (const tile of tree.shown) {
            const found: Found = { whole: 0, parts: 0 }
            const bytes = await readShown(observeFinding(context, found), tile)
            if (found.whole + found.parts === 0) continue
            kept.whole += found.whole
            kept.parts += found.parts
            expect({ tile, bytes }).toEqual({ tile, bytes: await readShown(withoutCaches(context), tile) })
          }
        }
      }),
      { ...run, examples: [[example]], endOnFailure: true },
    )
    expect(kept.whole).toBeGreaterThan(0)
    expect(kept.parts).toBeGreaterThan(0)
  })
})
