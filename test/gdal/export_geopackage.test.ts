import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeVector } from '../../src/gdal/export/write_vector.ts'
import { type Line, lines, rowsOf, windows } from '../support/lines.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landform-geopackage-'))
})
afterAll(() => rm(folder, { recursive: true }))

const firstId = 10

async function write(some: readonly Line[]): Promise<string> {
  const { folder: results } = await writeVector(
    {
      ...{ folder: await mkdtemp(join(folder, 'job-')), fileName: 'a.gpkg', format: 'GPKG', srs: 3857 },
      ...{ encoding: 'UTF-8', layerName: 'odd "name' },
      geometry: { family: 'LINESTRING', isMulti: false, hasZ: false },
      columns: [],
    },
    {
      feed: async (give) => {
        for await (const row of rowsOf(some, firstId)) await give(row)
      },
    },
  )
  return join(results, 'a.gpkg')
}

/** Queries SQLite for the integrity of the index, and for its number of features. */
function checkIndex(path: string): { verdict: unknown; count: unknown } {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    const name = 'rtree_odd "name_geom'
    const { verdict } = { ...database.prepare('select rtreecheck(?) as verdict').get(name) }
    const { count } = {
      ...database.prepare(`select count(*) as count from "${name.replace('"', '""')}"`).get(),
    }
    return { verdict, count }
  } finally {
    database.close()
  }
}

const ask = (path: string, ...options: string[]) =>
  execFileSync('ogrinfo', ['-al', ...options, path], { encoding: 'utf8', maxBuffer: 1 << 28 })
const idsIn = (text: string) => [...text.matchAll(/OGRFeature\([^)]*\):(\d+)/g)].map(([, id]) => Number(id))

describe('the spatial index of a GeoPackage', () => {
  test('finds the same features as a scan in any bounding box', async () => {
    const path = await write(lines)
    expect(checkIndex(path)).toEqual({ verdict: 'ok', count: lines.length })
    expect(execFileSync('ogrinfo', ['-ro', path], { encoding: 'utf8' })).not.toMatch(/warning|error/i)
    for (const { window, meets, isInside } of windows(12)) {
      const found = new Set(idsIn(ask(path, '-ro', '-spat', ...window.map(String))))
      for (const id of found) expect(meets).toContain(id - firstId)
      for (const at of isInside) expect(found).toContain(at + firstId)
    }
  })

  test.each([0, 1, 51, 52, 2601, 2602])('is valid for %i features', async (count) => {
    expect(checkIndex(await write(lines.slice(0, count)))).toEqual({ verdict: 'ok', count })
  })

  test('is updated when features change', async () => {
    const path = await write(lines.slice(0, 500))
    const table = '"odd ""name"'
    ask(path, '-sql', `delete from ${table} where id < 100`)
    ask(path, '-sql', `insert into ${table} (geom) select geom from ${table} where id = 200`)
    expect(checkIndex(path)).toEqual({ verdict: 'ok', count: 500 - 90 + 1 })
    const [[x, y] = [0, 0]] = lines[200 - firstId] ?? []
    const around = [x - 1, y - 1, x + 1, y + 1].map(String)
    expect(idsIn(ask(path, '-ro', '-spat', ...around))).toEqual([200, 510])
  })
})
