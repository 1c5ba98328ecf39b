import { describe, expect, it } from 'vitest'
import { dialectName, documentName } from '../../src/contract/dialect/dialect.ts'
import {
  type GeometryType,
  geometryParts,
  geometryTypeOf,
  geometryTypes,
} from '../../src/contract/geometry.ts'
import { findManager, findSource, formatManager, formatSource } from '../../src/contract/markers.ts'

describe('markers', () => {
  it('are parsed as they were formatted', () => {
    expect(findManager(formatManager({ manifest: 'world', id: 17 }))).toEqual({ manifest: 'world', id: 17 })
    const sets = ['description', 'webmap.root_item']
    expect(findManager('world/17 description webmap.root_item')).toEqual({
      manifest: 'world',
      id: 17,
      sets,
    })
    const source = { digest: 'ab'.repeat(32), version: 3 }
    expect(findSource(formatSource(source))).toEqual(source)
    const file = { ...source, pipeline: true as const }
    expect(findSource(formatSource(file))).toEqual(file)
    const counted = { ...file, rows: { read: 1999, quarantined: 5 } }
    expect(findSource(formatSource(counted))).toEqual(counted)
  })

  it.each([undefined, null, 7, '', 'world', 'world/x', '/7', 'a/b/7x', 'a/7 ', 'a/7  b', 'a/7 B'])(
    'are not found in %j',
    (value) => {
      expect(findManager(value)).toBeUndefined()
      expect(findSource(value)).toBeUndefined()
    },
  )
})

describe('dialect', () => {
  it('accepts both spellings and writes the selected one', () => {
    expect(documentName('postgis_layer')).toBe('geodb_layer')
    expect(documentName('geodb_layer')).toBe('geodb_layer')
    expect(dialectName('geodb_layer', 'nextgis')).toBe('postgis_layer')
    expect(dialectName('geodb_layer', 'document')).toBe('geodb_layer')
    expect(dialectName('webmap', 'nextgis')).toBe('webmap')
  })

  it('ignores inherited property names', () => {
    expect(documentName('constructor')).toBe('constructor')
    expect(dialectName('toString', 'nextgis')).toBe('toString')
  })
})

describe('geometry types', () => {
  it.each(geometryTypes)('%s is split and joined without loss', (type: GeometryType) => {
    expect(geometryTypeOf(geometryParts(type))).toBe(type)
  })

  it('consist of family, multi and Z', () => {
    expect(geometryParts('MULTIPOINTZ')).toEqual({ family: 'POINT', isMulti: true, hasZ: true })
  })
})
