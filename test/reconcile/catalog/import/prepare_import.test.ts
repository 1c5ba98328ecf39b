import { describe, expect, it } from 'vitest'
import { formatIssue } from '../../../../src/core/excerpt.ts'
import { indexCatalog } from '../../../../src/reconcile/catalog/actual_catalog.ts'
import { readImport } from '../../../../src/reconcile/catalog/import/plan_import.ts'
import { prepareImport } from '../../../../src/reconcile/catalog/import/prepare_import.ts'
import { guidOf, readingOf } from '../../support/catalog_literals.ts'

const there = readingOf(
  [{ id: 1, name: 'Old', type: 'wms', url: 'https://old.example.org', manifest: null }],
  [{ id: 7, keyname: 'pin_key', name: 'Pin' }],
)

function prepare(file: string, text: string) {
  const { rows } = readImport({ file, text })
  const { wanted, issues } = prepareImport(rows, indexCatalog(there))
  return {
    wanted: [...wanted.geoservice.values()].map(({ members }) => members),
    issues: issues.map((issue) => formatIssue(issue)),
  }
}

describe('rows of a table', () => {
  it('have the types of their members, without empty members of other types', () => {
    const header = 'name,type,url,epsg,z_min,y_origin_top,layers,desc,icon,boundary'
    const { wanted, issues } = prepare(
      'a.csv',
      `${header}
A,tms,https://example.org/{q},3857,0,1,,,Pin,"POLYGON((0 0,1 0,1 1,0 0))"
B,wms,https://example.org,null,,false,"a,b",Text,pin_key,null
`,
    )
    expect(issues).toEqual([])
    expect(wanted).toEqual([
      {
        name: 'A',
        type: 'tms',
        url: 'https://example.org/{q}',
        epsg: 3857,
        z_min: 0,
        y_origin_top: true,
        boundary: 'POLYGON((0 0,1 0,1 1,0 0))',
        icon: { id: 7 },
      },
      {
        name: 'B',
        type: 'wms',
        url: 'https://example.org',
        epsg: null,
        layers: 'a,b',
        desc: 'Text',
        boundary: null,
        icon: { id: 7 },
      },
    ])
  })

  it('need only a name, or a guid, and what they change', () => {
    const shared = { name: 'Old', type: 'wms', url: 'https://old.example.org' }
    expect(prepare('a.csv', 'name,epsg\nOld,4326\n').wanted).toEqual([{ ...shared, epsg: 4326 }])
    expect(prepare('a.csv', `guid,desc\n${guidOf(1).toUpperCase()},New\n`).wanted).toEqual([
      { ...shared, guid: guidOf(1), desc: 'New' },
    ])
  })

  it('are all checked, with line and column', () => {
    const text = `name,type,url,epsg,z_max,layers,icon,guid
A,tms,https://example.org/{z},EPSG:3857,40,,,
B,wmts,https://example.org,,,,,
,wfs,,,,,,
C,wms,https://example.org,,5,,Pen,
C,geojson,https://example.org,,,,,12
`
    expect(prepare('a.csv', text).issues).toEqual([
      'a.csv:2:31 error catalog/invalid: epsg: expected an integer or null, got "EPSG:3857"\n  hint: write the number of the code alone, such as 3857',
      'a.csv:2:41 error catalog/invalid: z_max: 40 is more than 30',
      'a.csv:3:3 error catalog/invalid: type: unknown type "wmts"\n  hint: use one of tms, wms, wfs, geojson',
      'a.csv:4:1 error catalog/invalid: name: missing field "name"',
      'a.csv:4:6 error catalog/invalid: url: missing field "url"',
      'a.csv:4:1 error catalog/invalid: layer: missing field "layer"',
      'a.csv:5:31 error catalog/invalid: icon: the catalog has no icon "Pen"\n  hint: did you mean "Pin"?',
      'a.csv:5:28 error catalog/invalid: z_max: unknown field "z_max"\n  hint: z_max belongs to type tms',
      expect.stringContaining('a.csv:6:35 error catalog/invalid: guid: "12" is not a UUID'),
      'a.csv:6:1 error catalog/invalid: name: "C" is also in a.csv:5:1\n  hint: Keep one of the records.',
    ])
  })
})

describe('the icon of a record', () => {
  const iconsOf = (text: string) => {
    const { wanted, issues } = prepare('a.ndjson', text)
    return { icons: wanted.map((members) => ('icon' in members ? members.icon : 'none')), issues }
  }
  const service = (name: string, members: object) =>
    `${JSON.stringify({ name, type: 'geojson', url: 'https://example.org', ...members })}\n`

  it('is a name, a key or a guid', () => {
    const texts = ['Pin', ' Pin ', 'pin_key', guidOf(7).toUpperCase()]
    const { icons, issues } = iconsOf(texts.map((icon, at) => service(`S${at}`, { icon })).join(''))
    expect([icons, issues]).toEqual([texts.map(() => ({ id: 7 })), []])
    expect(iconsOf(service('A', { icon: null })).icons).toEqual([null])
    expect(iconsOf(service('A', {})).icons).toEqual(['none'])
  })

  it('is left out if it is a number, which is that of another server', () => {
    const { icons, issues } = iconsOf(service('A', { icon: 7 }) + service('B', { icon: '7' }))
    expect(icons).toEqual(['none', 'none'])
    expect(issues).toEqual([
      'a.ndjson:1:1 warning catalog/foreign-icon: 2 records with an icon by its number, which is a number of another server: the icon is left out\n  hint: Name icons by name, key or guid.',
    ])
  })

  it('is found by icon_guid, then by icon_name', () => {
    const { icons, issues } = iconsOf(
      service('A', { icon: 1, icon_guid: guidOf(7), icon_name: 'Other' }) +
        service('B', { icon: 2, icon_guid: guidOf(8), icon_name: 'Pin' }) +
        service('C', { icon: 3, icon_guid: guidOf(8), icon_name: 'Other' }),
    )
    expect(icons).toEqual([{ id: 7 }, { id: 7 }, 'none'])
    expect(issues).toEqual([expect.stringContaining('1 record with an icon that this catalog does not have')])
  })
})

describe('names', () => {
  it('are trimmed and composed, and found so', () => {
    const decomposed = ' Gru\u0308n '
    const { wanted, issues } = prepare(
      'a.json',
      JSON.stringify({ name: decomposed, type: 'geojson', url: 'https://example.org' }),
    )
    expect([wanted[0]?.name, issues]).toEqual(['Gr\u00fcn', []])
    expect(prepare('a.csv', 'name;epsg\n" Old ";4326\n').wanted).toEqual([
      { name: 'Old', type: 'wms', url: 'https://old.example.org', epsg: 4326 },
    ])
  })
})

describe('records of the API', () => {
  it('from a list have no address, which is one error', () => {
    const item = (id: number) => ({ id, guid: guidOf(id + 10), name: `S${id}`, type: 'tms', epsg: 3857 })
    const { wanted, issues } = prepare('a.json', JSON.stringify([item(1), item(2), item(3)]))
    expect([wanted, issues]).toEqual([
      [],
      [
        expect.stringMatching(
          /^a\.json:1:2 error catalog\/invalid: 3 records have no url: .*\n {2}hint: Import/,
        ),
      ],
    ])
    expect(prepare('a.json', JSON.stringify([{ ...item(1), guid: guidOf(1), type: 'wms' }])).issues).toEqual(
      [],
    )
  })

  it('lose what the server sets, and keep the address as it was written', () => {
    const detail = {
      id: 99,
      guid: guidOf(3).toUpperCase(),
      name: 'Tiles',
      type: 'tms',
      url: 'https://a.example.org/{z}/{x}/{y}',
      origin_url: 'https://{switch:a,b}.example.org/{z}/{x}/{y}',
      alt_urls: [],
      cumulative_status: 'works',
      created_at: '2026-01-01T00:00:00.000000Z',
      extent: null,
      boundary_area: null,
      last_status: 4,
      submitter: null,
      epsg: 3857,
      y_origin_top: true,
    }
    expect(prepare('a.json', JSON.stringify([detail])).wanted).toEqual([
      {
        guid: guidOf(3),
        name: 'Tiles',
        type: 'tms',
        url: 'https://{switch:a,b}.example.org/{z}/{x}/{y}',
        epsg: 3857,
        y_origin_top: true,
      },
    ])
  })

  it('are checked, with pointers', () => {
    const text = `[
  { "name": "A", "type": "tms", "url": "https://example.org" },
  { "name": "B", "type": "geojson", "url": "https://example.org", "boundary": "POLYGON((0 0))", "colour": 1 },
  { "name": "C", "type": "geojson", "url": "https://example.org", "boundary": "POLYGON((0 0))", "was": "x" },
  { "name": "D", "type": "geojson", "url": "https://example.org", "boundary": [1, 2, 3, 4] },
  { "name": "E", "type": "geojson", "url": "https://example.org", "boundary": "POLYGON((0 0,1 1" }
]`
    expect(prepare('a.json', text).issues).toEqual([
      'a.json:2:40 error catalog/invalid: /0/url: the address of tiles lacks {x}, {y} and {z}\n  hint: Write {x}, {y} and {z}, or {q} for quadkeys, in their place.',
      expect.stringMatching(/^a\.json:3:107 error catalog\/invalid: \/1\/colour: unknown field "colour"/),
      'a.json:4:104 error catalog/invalid: /2/was: unknown field "was"',
      expect.stringMatching(/^a\.json:5:79 error catalog\/invalid: \/3\/boundary: expected WKT/),
      expect.stringMatching(
        /^a\.json:6:79 error catalog\/invalid: \/4\/boundary: invalid WKT: .* character 17/,
      ),
    ])
  })
})
