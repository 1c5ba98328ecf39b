import { IdParams, type RouteDescriptor } from '../route.ts'
import { Type } from '../schema/type.ts'

/** Operations on the files of resources. */
export const fileRoutes = {
  'file.download': {
    route: 'resource.file_download',
    method: 'GET',
    path: '/api/resource/{id}/file/{name}',
    summary: 'Downloads a file of a file bucket, or a range of it (Range).',
    params: Type.Object({
      ...IdParams.properties,
      name: Type.String({ 'x-rest': true, description: 'Path of the file in the bucket.' }),
    }),
    permission: 'data.read',
    responseKind: 'file',
  },
  'form.ngfp': {
    route: 'formbuilder_form.ngfp',
    method: 'GET',
    path: '/api/resource/{id}/ngfp',
    summary: 'Downloads the NGFP file of a form.',
    params: IdParams,
    permission: 'data.read',
    responseKind: 'file',
  },
} as const satisfies Record<string, RouteDescriptor>
