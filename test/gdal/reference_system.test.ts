import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import gdal from 'gdal-async'
import { afterAll, expect, test } from 'vitest'
import { referenceSystemOf } from '../../src/gdal/sources/reference_system.ts'

const folder = mkdtempSync(join(tmpdir(), 'landform-systems-'))
afterAll(() => rmSync(folder, { recursive: true }))

const codes = ['4258', '3857', '31467', '4326', '32632', '2154']

test('the reference system of a layer is never that of a closed dataset', () => {
  const features = [{ type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: [0, 0] } }]
  for (const code of codes) {
    const crs = { type: 'name', properties: { name: `EPSG:${code}` } }
    writeFileSync(join(folder, code), JSON.stringify({ type: 'FeatureCollection', crs, features }))
  }
  const read = (code: string) => {
    const dataset = gdal.open(join(folder, code), 'r', 'GeoJSON')
    try {
      return referenceSystemOf(dataset.layers.get(0))
    } finally {
      dataset.close()
    }
  }
  const codeOf = (wkt: string | undefined) => /AUTHORITY\["EPSG","(\d+)"\]\]$/.exec(wkt ?? '')?.[1]
  // Without copies, one in eight was wrong.
  const all = Array.from({ length: 50 }, () => codes).flat()
  expect(all.map((code) => codeOf(read(code)?.toWKT()))).toEqual(all)
  expect(codeOf(gdal.SpatialReference.fromEPSG(2056).toWKT())).toBe('2056')
})
