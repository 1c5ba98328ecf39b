import { keyPattern } from './block_schema.ts'
import type { JsonSchema } from './field_schema.ts'

/** Types of parameters. */
export const parameterTypes = ['string', 'number', 'integer', 'boolean', 'list', 'map'] as const

/** Type of a parameter. */
export type ParameterType = (typeof parameterTypes)[number]

/** Parameter with the key of a use, which every fragment has. */
export const keyParameter = 'key'

const namePattern = '^[A-Za-z_][A-Za-z0-9_]*$'

const parameterSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['type'],
  properties: {
    type: { type: 'string', enum: parameterTypes, description: 'Type of the value.' },
    default: { description: 'Value if a use gives none; without a default, uses must give one.' },
    enum: { type: 'array', minItems: 1, description: 'Allowed values.' },
    description: { type: 'string', description: 'Meaning.' },
  },
}

function fragmentParts(): Record<string, JsonSchema> {
  return {
    description: { type: 'string', description: 'Purpose of the fragment.' },
    parameters: {
      type: 'object',
      propertyNames: { pattern: namePattern, not: { const: keyParameter } },
      additionalProperties: parameterSchema,
      description: `Parameters by name, written \${param.NAME} in the resources. \${param.${keyParameter}} is the key of the use.`,
    },
  }
}

/** Schema of a fragment. */
export function fragmentSchema(): JsonSchema {
  return {
    title: 'Fragment',
    type: 'object',
    additionalProperties: false,
    required: ['resources'],
    properties: { ...fragmentParts(), resources: { $ref: '#/definitions/children' } },
  }
}

/** Schema of the section of fragments. */
export function fragmentsSchema(): JsonSchema {
  return {
    type: 'object',
    propertyNames: { pattern: namePattern },
    additionalProperties: fragmentSchema(),
    description: 'Pieces of the tree with parameters, by name, for use in all files of the manifest.',
  }
}

/** Schema of a use of a fragment, in place of a resource. */
export function useSchema(): JsonSchema {
  return {
    title: 'Use of a fragment',
    type: 'object',
    additionalProperties: false,
    required: ['use'],
    properties: {
      use: { type: 'string', minLength: 1, description: 'Name of a fragment of the manifest.' },
      was: {
        ...{ type: 'string', pattern: keyPattern },
        description: 'Previous key of a renamed use: its resources are renamed with it.',
      },
      with: { type: 'object', description: 'Values of its parameters.' },
    },
  }
}
