import { expect, test } from 'vitest'
import { isVectorTileUrl } from '../../../src/contract/formats/tile_format.ts'

test.each([
  'https://a.example.org/{z}/{x}/{y}.mvt',
  'https://a.example.org/{z}/{x}/{y}.pbf?key=png',
  'https://a.example.org/{z}/{x}/{y}.PBF.gz',
  'https://a.example.org/api/component/feature_layer/mvt?resource=1&z={z}&x={x}&y={y}',
  'https://a.example.org/tile?z={z}&x={x}&y={y}&f=pbf',
])('%s is that of vector tiles', (url) => expect(isVectorTileUrl(url)).toBe(true))

test.each([
  'https://mvt.example.org/{z}/{x}/{y}.png',
  'https://a.example.org/mvt/{z}/{x}/{y}.png',
  'https://a.example.org/{z}/{x}/{y}?layer=roads.pbf',
  'https://a.example.org/{q}.jpg',
])('%s is not', (url) => expect(isVectorTileUrl(url)).toBe(false))
