import Type from 'typebox'
import type { ClassDescriptor } from '../descriptor.ts'

/** Class formbuilder_form. */
export const formbuilderForm = {
  label: 'Form',
  meaning: 'A form for entering features in the field.',
  scopes: ['resource', 'data', 'metadata'],
  parents: ['vector_layer', 'geodb_layer'],
  interfaces: [],
  order: 100,
  members: { formbuilder_form: Type.Object({}) },
} as const satisfies ClassDescriptor
