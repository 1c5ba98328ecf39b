import sharp from 'sharp'
import { publishRoot } from './map.ts'
import type { Ask, TestResponse, TestServer } from './server.ts'
import { allow, createLayer, createResource, styleXml } from './tree.ts'
import { principalId } from './users.ts'

/** A service with the layers `square`, `road` and `town`. */
export interface TestMaps {
  readonly service: number
  /** Path of the resource. */
  readonly path: string
  readonly squareLayer: number
  readonly squareStyle: number
  readonly townLayer: number
  readonly roadStyle: number
}

const paint = (name: string, color: readonly number[]) =>
  `<${name} red="${color[0]}" green="${color[1]}" blue="${color[2]}"/>`

const squareFields = [
  { keyname: 'name', datatype: 'STRING', display_name: 'Name' },
  { keyname: 'people', datatype: 'BIGINT' },
  { keyname: 'since', datatype: 'DATE' },
  { keyname: 'empty', datatype: 'REAL' },
]

/**
 * Creates a group that guests may read, and in it a service of a green square from 10° to 20° east and north, in
 * EPSG:3857; a blue road along 15° north, in EPSG:4326, which is drawn from 1 : 5,000,000 on; and a red town at 15° 15°.
 */
export async function publishMaps({ admin, database }: TestServer, name = 'Maps'): Promise<TestMaps> {
  const guest = await principalId(database, 'guest')
  const permissions = [
    allow(guest, 'resource', 'read'),
    allow(guest, 'data', 'read'),
    allow(guest, 'service', 'connect'),
  ]
  await publishRoot(admin, guest)
  const parent = await createResource(admin, { cls: 'resource_group', name, resource: { permissions } })
  const style = (layer: number, inner: string) =>
    createResource(admin, {
      cls: 'mapsrv_style',
      parent: layer,
      name: `Style ${layer}`,
      members: { mapsrv_style: { xml: styleXml(inner) } },
    })
  const fill = (layer: number, features: readonly object[]) => addFeatures(admin, layer, features)
  const squareLayer = await createLayer(admin, {
    ...{ parent, name: 'Squares', geometryType: 'POLYGON' },
    fields: squareFields,
  })
  const fields = { name: 'A & <b>', people: '9007199254740993', since: '2001-02-03' }
  await fill(squareLayer, [{ geom: 'POLYGON((10 10,20 10,20 20,10 20,10 10))', fields }])
  const squareStyle = await style(squareLayer, paint('color', [0, 128, 0]))
  const degrees = (geometryType: string) => ({
    vector_layer: {
      srs: { id: 4326 },
      geometry_type: geometryType,
      fields: [{ keyname: 'name', datatype: 'STRING' }],
    },
  })
  const roadLayer = await createLayer(admin, {
    ...{ parent, name: 'Roads', geometryType: 'LINESTRING', members: degrees('LINESTRING') },
  })
  await fill(roadLayer, [{ geom: 'LINESTRING(0 15,30 15)', fields: { name: 'Road' } }])
  const roadStyle = await style(roadLayer, `${paint('color', [0, 0, 255])}<width>4</width>`)
  const townLayer = await createLayer(admin, {
    ...{ parent, name: 'Towns', geometryType: 'POINT', members: degrees('POINT') },
  })
  await fill(townLayer, [{ geom: 'POINT(15 15)', fields: { name: 'Town' } }])
  const town = await style(townLayer, `${paint('color', [255, 0, 0])}<size>12</size>`)
  const entry = (keyname: string, display_name: string, resource_id: number) => ({
    keyname,
    display_name,
    resource_id,
  })
  const layers = [
    entry('square', 'Squares & more', squareStyle),
    { ...entry('road', 'Roads', roadStyle), min_scale_denom: '1 : 5000000' },
    entry('town', 'Towns', town),
  ]
  const service = await createResource(admin, {
    cls: 'wmsserver_service',
    parent,
    name: `${name} WMS`,
    members: { wmsserver_service: { layers } },
  })
  return { service, path: `/api/resource/${service}`, squareLayer, squareStyle, townLayer, roadStyle }
}

async function addFeatures(admin: Ask, layer: number, features: readonly object[]): Promise<void> {
  const answer = await admin('PATCH', `/api/resource/${layer}/feature/?srs=4326&dt_format=iso`, features)
  if (answer.status !== 200) throw new Error(await answer.text())
}

/** Parameters of a map of 100 × 100 pixels from 0° to 30° east and north, in version 1.3.0. */
export const wholeMap = {
  service: 'WMS',
  version: '1.3.0',
  request: 'GetMap',
  layers: 'square',
  styles: '',
  crs: 'EPSG:4326',
  bbox: '0,0,30,30',
  width: '100',
  height: '100',
  format: 'image/png',
}

/** Sends a request of keyword-value pairs; those of `wholeMap` unless they are stated. */
export function askWms(
  ask: Ask,
  { path }: Pick<TestMaps, 'path'>,
  parameters: Readonly<Record<string, string>> = {},
): Promise<TestResponse> {
  return ask('GET', `${path}/wms?${new URLSearchParams({ ...wholeMap, ...parameters })}`)
}

/** An image in an answer. */
export interface AnsweredImage {
  readonly mediaType: string | null
  readonly width: number
  readonly height: number
  /** Red, green, blue and alpha of a pixel. */
  readonly at: (x: number, y: number) => number[]
}

/** Reads the image in an answer; throws the text of an answer without one. */
export async function readImage(answer: TestResponse): Promise<AnsweredImage> {
  const mediaType = answer.headers.get('content-type')
  if (answer.status !== 200 || mediaType?.startsWith('image/') !== true)
    throw new Error(`${answer.status} ${await answer.text()}`)
  const { data, info } = await sharp(Buffer.from(await answer.arrayBuffer()))
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const { width, height } = info
  return {
    mediaType,
    width,
    height,
    at: (x, y) => [...data.subarray(4 * (y * width + x), 4 * (y * width + x) + 4)],
  }
}
