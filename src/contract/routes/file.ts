import { IdParams, type RouteDescriptor } from '../route.ts'
import { Type } from '../type.ts'

/** Operations on the files that resources keep. */
export const fileRoutes = {
  'file.download': {
    route: 'resource.file_download',
    method: 'GET',
    path: '/api/resource/{id}/file/{name}',
    summary: 'One file of a file bucket, whole or in part (Range).',
    params: Type.Object({
      ...IdParams.properties,
      name: Type.String({ 'x-rest': true, description: 'Name of the file, with its path.' }),
    }),
    permission: 'data.read',
    responseKind: 'file',
  },
  'form.ngfp': {
    route: 'formbuilder_form.ngfp',
    method: 'GET',
    path: '/api/resource/{id}/ngfp',
    summary: 'The file of a form.',
    params: IdParams,
    permission: 'data.read',
    responseKind: 'file',
  },
} as const satisfies Record<string, RouteDescriptor>
