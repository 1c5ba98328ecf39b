import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { mainOf } from '../../src/files/source_parts.ts'
import { packSource } from '../../src/transfer/pack.ts'
import { readBytes } from '../support/exports.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landform-parts-'))
})
afterAll(() => rm(folder, { recursive: true }))

const write = async (...names: readonly string[]) => {
  for (const name of names) await writeFile(join(folder, name), `content of ${name}`)
}

it('packs a Shapefile with its companion files only, ignoring case', async () => {
  await write('Roads.SHP', 'roads.shx', 'Roads.dbf', 'Roads.PRJ', 'Roads.shp.xml', 'Roads2.dbf', 'Roads.txt')
  const source = await packSource(join(folder, 'Roads.SHP'))
  expect(source.packed.map((path) => basename(path)).sort()).toEqual(
    ['Roads.PRJ', 'Roads.SHP', 'Roads.dbf', 'Roads.shp.xml', 'roads.shx'].sort(),
  )
  expect(basename(source.path)).toBe('Roads.zip')
  expect((await readFile(source.path)).subarray(0, 2).toString()).toBe('PK')
  await source.remove()
  expect(existsSync(source.path)).toBe(false)
})

it('returns a file without companions unchanged', async () => {
  await write('towns.geojson', 'towns.dbf')
  const path = join(folder, 'towns.geojson')
  const source = await packSource(path)
  expect(source).toMatchObject({ path, packed: [] })
  await source.remove()
  expect(existsSync(path)).toBe(true)
})

it.each([
  ['lonely.shp', 'a Shapefile, and its .shx and .dbf are missing'],
  ['lonely.mif', 'a MapInfo interchange file, and its .mid is missing'],
  ['lonely.TAB', 'a MapInfo table, and its .dat and .map and .id are missing'],
])('reports what %s lacks', async (name, words) => {
  await write(name)
  await expect(packSource(join(folder, name))).rejects.toMatchObject({
    code: 'file/not-found',
    message: expect.stringContaining(words),
  })
})

it('treats the files of one source as one', () => {
  const paths = ['a/r.shp', 'a/r.dbf', 'a/r.shx', 'b/r.dbf', 'a/s.geojson', 'a/r.shp.xml']
  expect(mainOf(paths)).toEqual(['a/r.shp', 'b/r.dbf', 'a/s.geojson'])
})

it('creates archives that GDAL reads', async () => {
  await writeFile(join(folder, 'two.mif'), mif)
  await writeFile(join(folder, 'two.mid'), '"one"\n"two"\n')
  const source = await packSource(join(folder, 'two.mif'))
  const { layers } = await readBytes('two.mif.zip', await readFile(source.path))
  expect(layers[0]?.features.map(({ values }) => values.name)).toEqual(['one', 'two'])
  await source.remove()
})

const mif = `Version 300
Charset "Neutral"
Delimiter ","
CoordSys Earth Projection 1, 104
Columns 1
  name Char(10)
Data

Point 1 2
Point 3 4
`
