import type { Ask, TestResponse, TestServer } from './server.ts'
import { allow, createLayer, createResource } from './tree.ts'

/** A field of every datatype, and names that XML does not accept. */
export const wfsFields = [
  { keyname: 'name', datatype: 'STRING' },
  { keyname: 'people', datatype: 'INTEGER' },
  { keyname: 'area', datatype: 'BIGINT' },
  { keyname: 'height', datatype: 'REAL' },
  { keyname: 'since', datatype: 'DATE' },
  { keyname: 'opens', datatype: 'TIME' },
  { keyname: 'seen', datatype: 'DATETIME' },
  { keyname: '2020 total', datatype: 'INTEGER' },
  { keyname: 'высота', datatype: 'REAL' },
] as const

const town = (geom: string, fields: object) => ({ geom, fields })

/** Four features in degrees; the last one has neither geometry nor values. */
export const wfsTowns = [
  town('POINT (10.75 59.91)', {
    name: 'Oslo',
    people: 709_000,
    area: '9007199254740993',
    height: 23.5,
    since: '1048-01-01',
    opens: '08:30:00',
    seen: '2020-01-31T23:59:59',
    '2020 total': 1,
    высота: 0.1,
  }),
  town('POINT (16.37 48.21)', { name: 'Wien', people: 2_000_000, since: '0881-05-06' }),
  town('POINT (19.46 51.77)', { name: 'Łódź & <co> "x"', people: 650_000 }),
  { fields: {} },
] as const

/** A layer of towns, and the service that publishes it. */
export interface PublishedTowns {
  readonly layer: number
  readonly service: number
  /** Path of the service. */
  readonly path: string
}

/** Creates a layer with the towns, and a service that publishes it as `towns`. */
export async function publishTowns(
  ask: Ask,
  name: string,
  {
    srs = 3857,
    parent = 0,
    entry = {},
  }: { readonly srs?: number; readonly parent?: number; readonly entry?: object } = {},
): Promise<PublishedTowns> {
  const members = { vector_layer: { srs: { id: srs }, geometry_type: 'POINT', fields: wfsFields } }
  const layer = await createLayer(ask, { name, geometryType: 'POINT', parent, members })
  const path = `/api/resource/${layer}/feature/?srs=4326&dt_format=iso`
  const answer = await ask('PATCH', path, wfsTowns)
  if (answer.status !== 200) throw new Error(await answer.text())
  const published = { keyname: 'towns', display_name: 'Towns', resource_id: layer, ...entry }
  return { layer, ...(await publish(ask, `${name} WFS`, { parent, layers: [published] })) }
}

/** Creates a service. */
export async function publish(
  ask: Ask,
  name: string,
  { parent = 0, layers }: { readonly parent?: number; readonly layers: readonly object[] },
): Promise<{ readonly service: number; readonly path: string }> {
  const members = { wfsserver_service: { layers } }
  const service = await createResource(ask, { cls: 'wfsserver_service', parent, name, members })
  return { service, path: `/api/resource/${service}/wfs` }
}

/** Lets guests connect to a service, and read a layer that it publishes. */
export async function letGuests(
  ask: Ask,
  { layer, service }: { readonly layer: number; readonly service: number },
): Promise<void> {
  const users = await (await ask('GET', '/api/component/auth/user/')).json<
    { id: number; keyname: string }[]
  >()
  const guest = users.find(({ keyname }) => keyname === 'guest')?.id ?? 0
  const grant = async (id: number, ...rules: object[]) => {
    const { resource } = await (await ask('GET', `/api/resource/${id}`)).json<{
      resource: { permissions: object[] }
    }>()
    await ask('PUT', `/api/resource/${id}`, {
      resource: { permissions: [...resource.permissions, ...rules] },
    })
  }
  await grant(0, { ...allow(guest, 'resource', 'read'), propagate: false })
  await grant(layer, allow(guest, 'resource', 'read'), allow(guest, 'data', 'read'))
  await grant(service, allow(guest, 'resource', 'read'), allow(guest, 'service', 'connect'))
}

/** Sends a request of keyword-value pairs; version 2.0.0 unless it is stated. */
export function askWfs(
  ask: Ask,
  path: string,
  parameters: Readonly<Record<string, string>>,
): Promise<TestResponse> {
  return ask('GET', `${path}?${new URLSearchParams({ service: 'WFS', version: '2.0.0', ...parameters })}`)
}

/** Reads the values of a property in document order. */
export const valuesOf = (xml: string, property: string): string[] =>
  [...xml.matchAll(new RegExp(`<svc:${property}>([^<]*)</svc:${property}>`, 'g'))].map(
    ([, value = '']) => value,
  )

/** Requests features and returns the values of a property. */
export async function readValues(
  server: Pick<TestServer, 'admin'>,
  path: string,
  { property = 'name', ...parameters }: Readonly<Record<string, string>>,
): Promise<string[]> {
  const answer = await askWfs(server.admin, path, {
    request: 'GetFeature',
    typeNames: 'towns',
    ...parameters,
  })
  const xml = await answer.text()
  if (answer.status !== 200) throw new Error(`${answer.status} ${xml}`)
  return valuesOf(xml, property)
}

/** Reads the status, the code and the locator of an exception report of any version. */
export async function readException(answer: TestResponse) {
  const xml = await answer.text()
  const code = /(?:exceptionCode|ServiceException code)="([^"]*)"/.exec(xml)?.[1]
  const locator = /locator="([^"]*)"/.exec(xml)?.[1]
  const text = /<(?:ows:ExceptionText|ServiceException[^>]*)>([^<]*)</.exec(xml)?.[1]
  return { status: answer.status, code, locator, text }
}
