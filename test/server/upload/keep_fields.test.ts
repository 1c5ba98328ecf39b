import { expect, it } from 'vitest'
import type { Field } from '../../../src/contract/classes/feature_layer.ts'
import { describeServer, type TestServer } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'

const fields = [
  { keyname: 'name', datatype: 'STRING', display_name: 'Name', label_field: true },
  { keyname: 'code', datatype: 'STRING' },
  { keyname: 'people', datatype: 'BIGINT' },
  { keyname: 'founded', datatype: 'DATE' },
  { keyname: 'note', datatype: 'STRING' },
]

const good =
  'longitude,latitude,name,code,people,founded,other\n10.7,59.9,Oslo,007,580000,1048-01-01,x\n12.5,41.9,Rome,,,,y\n'
const bad = 'longitude,latitude,name,people\n10.7,59.9,Oslo,many\n12.5,41.9,Rome,3\n'

async function makeLayer({ admin }: TestServer, display_name: string): Promise<number> {
  const vector_layer = { srs: { id: 3857 }, geometry_type: 'POINT' }
  return createResource(admin, {
    cls: 'vector_layer',
    parent: 0,
    name: display_name,
    members: { vector_layer, feature_layer: { fields } },
  })
}

async function load({ admin }: TestServer, id: number, csv: string, options: object = {}) {
  const headers = { 'content-type': 'text/csv', 'content-disposition': 'attachment; filename=places.csv' }
  const upload = await (await admin('PUT', '/api/component/file_upload/', csv, headers)).json<object>()
  const vector_layer = { source: upload, keep_fields: true, ...options }
  return admin('PUT', `/api/resource/${id}`, { vector_layer })
}

async function read({ admin }: TestServer, id: number) {
  const layer = await (await admin('GET', `/api/resource/${id}`)).json<{
    feature_layer: { fields: Field[] }
  }>()
  const path = `/api/resource/${id}/feature/?geom=no&dt_format=iso&extensions=`
  const features = await (await admin('GET', path)).json<{ fields: Record<string, unknown> }[]>()
  return { fields: layer.feature_layer.fields, values: features.map((feature) => feature.fields) }
}

describeServer('loading with keep_fields', (start) => {
  it('converts values to the fields of the layer, and keeps ids, names and order', async () => {
    const server = await start()
    const id = await makeLayer(server, 'Kept')
    const before = await read(server, id)
    expect((await load(server, id, good)).status).toBe(200)
    const after = await read(server, id)
    expect(after.fields).toEqual(before.fields)
    expect(after.values).toEqual([
      { name: 'Oslo', code: '007', people: 580000, founded: '1048-01-01', note: null },
      { name: 'Rome', code: null, people: null, founded: null, note: null },
    ])
  })

  it('refuses values that cannot be converted, names them and does not change the layer', async () => {
    const server = await start()
    const id = await makeLayer(server, 'Refused')
    await load(server, id, good)
    const before = await read(server, id)
    const answer = await load(server, id, bad)
    expect(answer.status).toBe(422)
    expect(await answer.json()).toMatchObject({
      code: 'source/bad-features',
      detail: '- feature 1: people: "many" is not a valid BIGINT',
    })
    expect(await read(server, id)).toEqual(before)
  })

  it('reports row numbers of the file, also after invalid rows', async () => {
    const server = await start()
    const id = await makeLayer(server, 'Numbered')
    const rows = [
      '10,60,Oslo,5',
      'x,42,Rome,3',
      '1,2,Bonn,-',
      '1,2,Bern,2,"too much"',
      ',,Kyiv,1',
      '9,9,Paris,1e3',
    ]
    const csv = `longitude,latitude,name,people\n${rows.join('\n')}\n`
    const answer = await load(server, id, csv, { skip_errors: true, fid_source: 'AUTO' })
    expect((await answer.json<{ report: object }>()).report).toMatchObject({
      feature_count: 1,
      bad_count: 5,
      bad: [
        { number: 2, reason: 'longitude: "x" is not a number' },
        { number: 3, reason: 'people: "-" is not a valid BIGINT' },
        { number: 4, reason: 'its row has more cells than the table has columns' },
        { number: 5, reason: 'it has no geometry' },
        { number: 6, reason: 'people: "1e3" is not a valid BIGINT' },
      ],
    })
    expect((await read(server, id)).values).toMatchObject([{ name: 'Oslo', people: 5 }])
  })

  it('skips such features with skip_errors', async () => {
    const server = await start()
    const id = await makeLayer(server, 'Skipped')
    expect((await load(server, id, bad, { skip_errors: true })).status).toBe(200)
    expect((await read(server, id)).values.map(({ name, people }) => [name, people])).toEqual([['Rome', 3]])
  })
})
