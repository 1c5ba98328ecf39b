import { UploadSchema } from '../bodies/resource.ts'
import { annotate, type ClassDescriptor, nullable } from '../descriptor.ts'
import { Type } from '../schema/type.ts'
import { featureLayerClasses } from './style.ts'

/** Class formbuilder_form. */
export const formbuilderForm = {
  label: 'Form',
  meaning: 'A form for entering features in the field.',
  scopes: ['resource', 'data', 'metadata'],
  parents: featureLayerClasses,
  interfaces: [],
  order: 100,
  files: { field: 'file_upload', form: 'one', max: 1 },
  members: {
    formbuilder_form: Type.Object({
      file_upload: Type.Optional(
        annotate(UploadSchema, {
          writeOnly: true,
          'x-wire': true,
          'x-write': 'data.write',
          description: 'Upload of the form as an NGFP file: a ZIP archive with form.json.',
        }),
      ),
      size: Type.Optional(
        nullable(Type.Integer(), {
          readOnly: true,
          'x-read': 'data.read',
          description: 'Size of the NGFP file in bytes; null if the form has no file.',
        }),
      ),
      digest: Type.Optional(
        nullable(Type.String(), {
          readOnly: true,
          'x-extension': true,
          'x-read': 'data.read',
          description: 'SHA-256 of the NGFP file, in hexadecimal; null if the form has no file.',
        }),
      ),
    }),
  },
} as const satisfies ClassDescriptor
