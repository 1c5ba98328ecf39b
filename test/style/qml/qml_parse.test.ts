import { describe, expect, it } from 'vitest'
import { parseQml } from '../../../src/style/qml/qml_parse.ts'
import { defaultQml } from '../../../src/style/qml/qml_write.ts'

const doctype = "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>"

/** Line, column and message of every fault. */
const faults = (text: string) =>
  parseQml(text).issues.map(({ message, span }) => `${span?.line}:${span?.column} ${message}`)

describe('parseQml', () => {
  it('accepts a file with a document type', () => {
    const { root, issues } = parseQml(`${doctype}\n<qgis version="3.28"><a b="1">t</a></qgis>\n`)
    expect(issues).toEqual([])
    expect(root?.children.map(({ name, text }) => [name, text])).toEqual([['a', 't']])
  })

  it('accepts a byte order mark', () => {
    expect(faults('\uFEFF<?xml version="1.0" encoding="UTF-8"?><qgis/>')).toEqual([])
  })

  it.each([
    ['a different root', '<map/>', '1:2 the root element must be <qgis>, got <map>'],
    ['an unclosed element', '<qgis><a></qgis>', '1:16 unexpected close tag: <a> is open'],
    ['no content', '', '1:1 document must contain a root element'],
    [
      'an entity declaration',
      '<!DOCTYPE qgis [<!ENTITY x SYSTEM "file:///etc/passwd">]>\n<qgis>&x;</qgis>',
      '1:1 document types and entities are not allowed',
    ],
    ['an undefined entity', `${doctype}\n<qgis>&secret;</qgis>`, '2:14 undefined entity'],
    [
      'elements nested too deeply',
      `<qgis>${'<a>'.repeat(100)}${'</a>'.repeat(100)}</qgis>`,
      expect.stringContaining('elements nested deeper than 64 levels'),
    ],
    [
      'too many elements',
      `<qgis>${'<a/>'.repeat(200_000)}</qgis>`,
      expect.stringContaining('more than 200000 elements'),
    ],
    ['too many characters', `<qgis>${' '.repeat(5_000_000)}</qgis>`, expect.stringContaining('longer than')],
  ])('refuses a file with %s', (_, text, fault) => {
    expect(faults(text)).toEqual([fault])
  })
})

describe('the default style of a layer', () => {
  it.each([
    ['POINT', 'marker', 'SimpleMarker'],
    ['MULTILINESTRINGZ', 'line', 'SimpleLine'],
    ['MULTIPOLYGON', 'fill', 'SimpleFill'],
  ] as const)('of %s is a %s', (geometryType, type, layer) => {
    const qml = defaultQml(geometryType)
    expect(faults(qml)).toEqual([])
    expect(qml).toContain(`<symbol type="${type}"`)
    expect(qml).toContain(`<layer class="${layer}"`)
  })

  it('without a geometry type is that of polygons', () => {
    expect(defaultQml()).toBe(defaultQml('POLYGON'))
  })
})
