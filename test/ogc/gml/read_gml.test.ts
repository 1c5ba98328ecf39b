import { describe, expect, test } from 'vitest'
import { formatWkt } from '../../../src/geo/wkt.ts'
import { readGml } from '../../../src/ogc/gml/read_gml.ts'
import { OwsFault } from '../../../src/ogc/ows_fault.ts'
import { readXmlNode } from '../../../src/ogc/xml_tree.ts'

const read = (xml: string) => readGml(readXmlNode(xml))
const ring = '<LinearRing><posList>0 0 4 0 4 4 0 0</posList></LinearRing>'
const old = (text: string) => `<coordinates>${text}</coordinates>`

describe('reads', () => {
  test.each([
    ['<Point><pos>1 2</pos></Point>', 'POINT(1 2)'],
    ['<Point><pos>1 2 3</pos></Point>', 'POINT Z (1 2 3)'],
    [`<Point>${old('1,2')}</Point>`, 'POINT(1 2)'],
    ['<Point><coordinates decimal="," cs=";" ts="|">1,5;2,5</coordinates></Point>', 'POINT(1.5 2.5)'],
    ['<Point><coord><X>1</X><Y>2</Y></coord></Point>', 'POINT(1 2)'],
    ['<LineString><pos>1 2</pos><pos>3 4</pos></LineString>', 'LINESTRING(1 2,3 4)'],
    [
      '<LineString srsDimension="3"><posList>1 2 3 4 5 6</posList></LineString>',
      'LINESTRING Z (1 2 3,4 5 6)',
    ],
    [`<LineString>${old('1,2 3,4\n5,6')}</LineString>`, 'LINESTRING(1 2,3 4,5 6)'],
    [
      '<Curve><segments><LineStringSegment><posList>1 2 3 4</posList></LineStringSegment></segments></Curve>',
      'LINESTRING(1 2,3 4)',
    ],
    [
      `<Polygon><interior>${ring}</interior><exterior>${ring.replaceAll('4', '9')}</exterior></Polygon>`,
      'POLYGON((0 0,9 0,9 9,0 0),(0 0,4 0,4 4,0 0))',
    ],
    [
      `<Polygon><outerBoundaryIs><LinearRing>${old('0,0 4,0 4,4')}</LinearRing></outerBoundaryIs></Polygon>`,
      'POLYGON((0 0,4 0,4 4,0 0))',
    ],
    [
      `<Surface><patches><PolygonPatch><exterior>${ring}</exterior></PolygonPatch></patches></Surface>`,
      'POLYGON((0 0,4 0,4 4,0 0))',
    ],
    [
      '<Envelope><lowerCorner>1 2</lowerCorner><upperCorner>3 4</upperCorner></Envelope>',
      'POLYGON((1 2,3 2,3 4,1 4,1 2))',
    ],
    [`<Box>${old('1,2 3,4')}</Box>`, 'POLYGON((1 2,3 2,3 4,1 4,1 2))'],
    [
      '<MultiPoint><pointMember><Point><pos>1 2</pos></Point></pointMember><pointMembers><Point><pos>3 4</pos></Point><Point><pos>5 6</pos></Point></pointMembers></MultiPoint>',
      'MULTIPOINT((1 2),(3 4),(5 6))',
    ],
    [
      '<MultiCurve><curveMember><LineString><posList>1 2 3 4</posList></LineString></curveMember></MultiCurve>',
      'MULTILINESTRING((1 2,3 4))',
    ],
    [
      `<MultiSurface><surfaceMembers><Polygon><exterior>${ring}</exterior></Polygon></surfaceMembers></MultiSurface>`,
      'MULTIPOLYGON(((0 0,4 0,4 4,0 0)))',
    ],
    ['<MultiPolygon/>', 'MULTIPOLYGON EMPTY'],
  ])('%s', (xml, wkt) => {
    expect(formatWkt(read(xml).geometry)).toBe(wkt)
  })

  test('the reference system of the geometry, or of a member', () => {
    expect(read('<Point srsName="EPSG:4326"><pos>1 2</pos></Point>').srsName).toBe('EPSG:4326')
    expect(
      read('<MultiPoint><pointMember><Point srsName="x"><pos>1 2</pos></Point></pointMember></MultiPoint>')
        .srsName,
    ).toBe('x')
    expect(read('<Point><pos>1 2</pos></Point>').srsName).toBeUndefined()
  })
})

test.each([
  '<Point/>',
  '<Point><pos>1</pos></Point>',
  '<Point><pos>1 2 3 4</pos></Point>',
  '<Point><pos>1 Infinity</pos></Point>',
  '<Point><pos>1 1e999</pos></Point>',
  '<LineString><posList>1 2</posList></LineString>',
  '<LineString><posList>1 2 3</posList></LineString>',
  '<LineString srsDimension="1000000000"><posList>1 2 3</posList></LineString>',
  '<Polygon/>',
  '<Polygon><exterior><Ring/></exterior></Polygon>',
  '<Polygon><exterior><LinearRing><posList>0 0 1 1</posList></LinearRing></exterior></Polygon>',
  '<Envelope><lowerCorner>1 2</lowerCorner></Envelope>',
  '<Curve><segments><Arc><posList>0 0 1 1 2 0</posList></Arc></segments></Curve>',
  '<MultiPoint><pointMember><MultiPoint/></pointMember></MultiPoint>',
  '<MultiPoint><pointMember><LineString><posList>1 2 3 4</posList></LineString><Point><pos>1 2</pos></Point></pointMember></MultiPoint>',
  '<Solid/>',
  '<constructor/>',
])('refuses %s', (xml) => {
  expect(() => read(xml)).toThrow(OwsFault)
})
