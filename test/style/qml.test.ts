import { describe, expect, it } from 'vitest'
import { parseQml } from '../../src/style/qml.ts'
import { plainQml } from '../../src/style/qml_write.ts'

const doctype = "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>"

/** Line, column and words of every fault. */
const faults = (text: string) =>
  parseQml(text).issues.map(({ message, span }) => `${span?.line}:${span?.column} ${message}`)

describe('a QML file', () => {
  it('is known by its root, and may name the type of its document', () => {
    const { root, issues } = parseQml(`${doctype}\n<qgis version="3.28"><a b="1">t</a></qgis>\n`)
    expect(issues).toEqual([])
    expect(root?.children.map(({ name, text }) => [name, text])).toEqual([['a', 't']])
  })

  it('may begin with a byte order mark', () => {
    expect(faults('\uFEFF<?xml version="1.0" encoding="UTF-8"?><qgis/>')).toEqual([])
  })

  it.each([
    ['another root', '<map/>', '1:2 the root element has to be <qgis>, not <map>'],
    ['a part', '<qgis><a></qgis>', '1:16 unexpected close tag: <a> is open'],
    ['nothing', '', '1:1 document must contain a root element'],
    [
      'an entity of its own',
      '<!DOCTYPE qgis [<!ENTITY x SYSTEM "file:///etc/passwd">]>\n<qgis>&x;</qgis>',
      '1:1 document types and entities are not allowed',
    ],
    ['an entity of nobody', `${doctype}\n<qgis>&secret;</qgis>`, '2:14 undefined entity'],
    [
      'too deep a nest',
      `<qgis>${'<a>'.repeat(100)}${'</a>'.repeat(100)}</qgis>`,
      expect.stringContaining('more than 64 elements inside each other'),
    ],
    [
      'too many elements',
      `<qgis>${'<a/>'.repeat(200_000)}</qgis>`,
      expect.stringContaining('more than 200000 elements'),
    ],
    ['too long a text', `<qgis>${' '.repeat(5_000_000)}</qgis>`, expect.stringContaining('longer than')],
  ])('is refused where it is %s', (_, text, fault) => {
    expect(faults(text)).toEqual([fault])
  })
})

describe('the plain style of a layer', () => {
  it.each([
    ['POINT', 'marker', 'SimpleMarker'],
    ['MULTILINESTRINGZ', 'line', 'SimpleLine'],
    ['MULTIPOLYGON', 'fill', 'SimpleFill'],
  ] as const)('of %s is a %s', (geometryType, type, layer) => {
    const qml = plainQml(geometryType)
    expect(faults(qml)).toEqual([])
    expect(qml).toContain(`<symbol type="${type}"`)
    expect(qml).toContain(`<layer class="${layer}"`)
  })

  it('without a geometry type is that of areas', () => {
    expect(plainQml()).toBe(plainQml('POLYGON'))
  })
})
