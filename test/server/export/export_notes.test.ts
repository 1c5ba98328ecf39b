import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatNotes, notesHeader, readNotes } from '../../../src/contract/formats/export_formats.ts'
import { fileNameOf, readBytes } from '../../support/exports.ts'
import { createTestLayer } from '../../support/layers.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

const fields = { population_2020: 'BIGINT', population_2021: 'BIGINT', remark: 'STRING' } as const
const long = `${'ж'.repeat(127)}x`
const rows = [
  { population_2020: '9007199254740993', population_2021: '7', remark: long },
  { population_2020: '-9007199254740993', population_2021: '9007199254740992', remark: long.slice(1) },
  { population_2020: null, population_2021: null, remark: null },
]

async function exportAs(server: TestServer, id: number, query: string) {
  const answer = await server.admin('GET', `/api/resource/${id}/export?zipped=false&format=${query}`)
  expect(answer.status).toBe(200)
  const header = answer.headers.get(notesHeader) ?? undefined
  const read = await readBytes(fileNameOf(answer), Buffer.from(await answer.arrayBuffer()))
  return { notes: readNotes(header), layer: read.layers[0], header }
}

const renamed = [
  'Field population_2020 was renamed to population.',
  'Field population_2021 was renamed to populati_1.',
]
const inexact = 'Field population_2020: 2 numbers were rounded.'
const cut = 'Field remark: 1 string was truncated to 254 bytes.'
const zero = (field: string) => `Field ${field}: 1 null value was written as 0.`

describe('export notes', () => {
  let server: TestServer
  let id: number
  beforeAll(async () => {
    server = await startTestServer('postgres')
    id = await createTestLayer(server.database, { name: 'Notes', geometryType: 'POINT', fields })
    const features = rows.map((values) => ({ geom: 'POINT (1 2)', fields: values }))
    expect((await server.admin('PATCH', `/api/resource/${id}/feature/`, features)).status).toBe(200)
  })
  afterAll(() => server.stop())

  test('report shortened names and truncated strings of Shapefiles, in the encoding of the file', async () => {
    const { notes, layer } = await exportAs(server, id, 'ESRI Shapefile')
    expect(notes).toEqual([...renamed, cut])
    expect(layer?.features.map(({ values }) => values.remark)).toEqual([
      long.slice(0, -1),
      long.slice(1),
      null,
    ])
    const short = await exportAs(server, id, 'ESRI Shapefile&encoding=CP1251')
    expect(short.notes).toEqual(renamed)
    expect(short.layer?.features[0]?.values.remark).toBe(long)
  })

  test('report null and large numbers in MapInfo files', async () => {
    const { notes, layer } = await exportAs(server, id, 'MapInfo File')
    expect(notes).toEqual([inexact, zero('population_2020'), zero('population_2021'), cut])
    expect(layer?.features.map(({ values }) => values.population_2021)).toEqual([7, 2 ** 53, 0])
  })

  test.each(['KML', 'KMZ'])('report lost digits of large numbers in %s', async (format) => {
    const { notes } = await exportAs(server, id, format)
    expect(notes).toEqual([inexact, 'Field population_2021: 1 number was rounded.'])
  })

  test('of XLSX: dates that spreadsheets cannot represent', async () => {
    const dates = await createTestLayer(server.database, {
      name: 'Dates',
      geometryType: 'POINT',
      fields: { day: 'DATE', moment: 'DATETIME' },
    })
    const days = ['1900-02-28', '1900-03-01', '1582-10-15', '2020-01-02']
    const features = days.map((day) => ({
      geom: 'POINT (1 2)',
      fields: { day, moment: day === days[0] ? `${day}T23:59:59` : `${days[1]}T00:00:00` },
    }))
    const query = '?dt_format=iso'
    const answer = await server.admin('PATCH', `/api/resource/${dates}/feature/${query}`, features)
    expect(answer.status).toBe(200)
    expect((await exportAs(server, dates, 'XLSX')).notes).toEqual([
      'Field day: 2 dates before 1900-03-01 may be read as another day.',
      'Field moment: 1 date before 1900-03-01 may be read as another day.',
    ])
    expect((await exportAs(server, dates, 'GPKG')).notes).toEqual([])
  })

  test('of DXF: all attributes', async () => {
    const { notes } = await exportAs(server, id, 'DXF')
    expect(notes).toEqual(['3 fields were not written, since DXF does not support attributes.'])
    expect((await exportAs(server, id, 'DXF&fields=')).notes).toEqual([])
  })

  test('are absent for other formats', async () => {
    for (const format of ['GPKG', 'FlatGeobuf', 'GML', 'XLSX', 'CSV', 'GeoJSON']) {
      const { notes, layer } = await exportAs(server, id, format)
      expect([format, notes]).toEqual([format, []])
      expect(layer?.features.map(({ values }) => String(values.remark ?? ''))).toEqual([
        long,
        long.slice(1),
        '',
      ])
    }
  })

  test('support all characters', async () => {
    const name = 'население_2020'
    const russian = await createTestLayer(server.database, {
      name: 'Russian',
      geometryType: 'POINT',
      fields: { [name]: 'REAL' },
    })
    await server.admin('POST', `/api/resource/${russian}/feature/`, { geom: 'POINT(1 2)' })
    const { notes, header } = await exportAs(server, russian, 'ESRI Shapefile')
    expect(notes[0]).toBe('Field население_2020 was renamed to насел.')
    expect(header).toMatch(/^[ -~]+$/)
  })
})

test('notes of other servers, and invalid ones, are ignored', () => {
  expect(readNotes(formatNotes(['a "b"', 'ж🚀\n']))).toEqual(['a "b"', 'ж🚀\n'])
  for (const header of [undefined, '', 'text', '{}', ['["a"]', 'b']]) expect(readNotes(header)).toEqual([])
})
