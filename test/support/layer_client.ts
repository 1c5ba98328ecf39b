import { expect } from 'vitest'
import type { TestServer } from './server.ts'

/** A field in a response. */
export interface WireField {
  readonly id: number
  readonly keyname: string
  readonly datatype: string
  readonly typemod: null
  readonly display_name: string
  readonly label_field: boolean
  readonly grid_visibility: boolean
  readonly text_search: boolean
  readonly lookup_table: { readonly id: number } | null
}

/** A layer in a response. */
export interface WireLayer {
  readonly resource: { readonly id: number; readonly version: number }
  readonly vector_layer: {
    readonly srs: { readonly id: number }
    readonly geometry_type: string
    readonly data_version: number
  }
  readonly feature_layer: { readonly fields: readonly WireField[] }
}

/** An error response. */
export interface WireError {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly detail?: string
}

/** A client for layers, as the administrator. */
export interface LayerClient {
  upload(name: string, content: Uint8Array | string): Promise<{ id: string; name: string }>
  /** Creates a layer from member `vector_layer` and others, and returns its id. */
  create(own: object, others?: object): Promise<number>
  get(id: number): Promise<WireLayer>
  /** Updates a layer. */
  put(id: number, body: object): Promise<void>
  /** Sends a request and expects an error. */
  refuse(method: 'POST' | 'PUT', path: string, body: object): Promise<WireError>
  features(id: number): Promise<{ id: number; geom: string; fields: Record<string, unknown> }[]>
  /** Adds a feature. */
  add(id: number, geom: string, fields?: object): Promise<void>
}

let layers = 0

/** Creates a client for layers. */
export function openLayerClient({ admin }: Pick<TestServer, 'admin'>): LayerClient {
  const send = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await admin(method, path, body)
    const read = await answer.json<T>()
    expect(answer.status, JSON.stringify(read)).toBe(200)
    return read
  }
  return {
    async upload(name, content) {
      const form = new FormData()
      form.append('file', new Blob([typeof content === 'string' ? content : new Uint8Array(content)]), name)
      const answer = await admin('POST', '/api/component/file_upload/', form)
      const { upload_meta: metas } = await answer.json<{ upload_meta: { id: string; name: string }[] }>()
      return metas[0] ?? { id: '', name: '' }
    },
    async create(own, others = {}) {
      layers += 1
      const resource = { cls: 'vector_layer', parent: { id: 0 }, display_name: `layer ${layers}` }
      return (
        await send<{ id: number }>('POST', '/api/resource/', { resource, vector_layer: own, ...others })
      ).id
    },
    get: (id) => send('GET', `/api/resource/${id}`),
    async put(id, body) {
      await send('PUT', `/api/resource/${id}`, body)
    },
    async refuse(method, path, body) {
      const answer = await admin(method, path, body)
      const read = await answer.json<Omit<WireError, 'status'>>()
      expect(answer.status, JSON.stringify(read)).toBeGreaterThanOrEqual(400)
      return { status: answer.status, ...read }
    },
    features: (id) => send('GET', `/api/resource/${id}/feature/?extensions=&dt_format=iso`),
    async add(id, geom, fields = {}) {
      await send('POST', `/api/resource/${id}/feature/`, { geom, fields })
    },
  }
}
