import type { ProblemKind } from './kind.ts'

/** Problems with manifest and pipeline files. */
export const manifestProblems = {
  'file/not-found': {
    title: 'File not found',
    exit: 3,
    advice: 'Check the path.',
  },
  'file/unreadable': {
    title: 'File cannot be read',
    exit: 3,
    advice: 'Check the permissions of the file.',
  },
  'file/too-large': {
    title: 'File too large',
    exit: 3,
    advice: 'Split the file.',
  },
  'file/encoding': {
    title: 'File is not UTF-8',
    exit: 3,
    advice: 'Save the file as UTF-8.',
  },
  'yaml/syntax': {
    title: 'YAML syntax error',
    exit: 3,
    advice: 'Correct the YAML.',
  },
  'yaml/duplicate-key': {
    title: 'Duplicate key',
    exit: 3,
    advice: 'Remove one of them.',
  },
  'yaml/key': {
    title: 'Key is not a string',
    exit: 3,
    advice: 'Quote the key.',
  },
  'yaml/number': {
    title: 'Number loses precision',
    exit: 3,
    advice: 'Quote it to keep it as a string.',
  },
  'yaml/alias': {
    title: 'Invalid alias',
    exit: 3,
    advice: 'Define the anchor before its first use, or write the value out.',
  },
  'yaml/edit': {
    title: 'Cannot be edited in place',
    exit: 3,
    advice: 'Edit it by hand.',
  },
  'manifest/unknown-fragment': {
    title: 'Unknown fragment',
    exit: 3,
    advice: 'Use the name of a fragment of the manifest.',
  },
  'manifest/bad-parameter': {
    title: 'Invalid parameter of a fragment',
    exit: 3,
    advice: 'Give the parameters that the fragment declares, with values of their types.',
  },
  'manifest/fragment-cycle': {
    title: 'Fragment uses itself',
    exit: 3,
    advice: 'Remove one of the uses.',
  },
  'value/unknown-variable': {
    title: 'Unknown variable',
    exit: 3,
    advice: 'Set the environment variable, or add a default: ${env.NAME:-default}.',
  },
  'value/secret-variable': {
    title: 'Credentials in a value',
    exit: 3,
    advice: 'Use another variable. Credentials are for secret fields, such as password.',
  },
  'value/bad-expression': {
    title: 'Invalid expression',
    exit: 3,
    advice: 'Write ${env.NAME}; write $${ for a literal dollar sign before a brace.',
  },
  'manifest/empty': {
    title: 'Manifest not found',
    exit: 3,
    advice: 'Pass a manifest file, or a directory of manifest files.',
  },
  'manifest/invalid': {
    title: 'Invalid manifest',
    exit: 3,
    advice: 'Correct the listed errors.',
  },
  'manifest/bad-value': {
    title: 'Invalid value',
    exit: 3,
    advice: 'Correct the value.',
  },
  'manifest/unknown-field': {
    title: 'Unknown field',
    exit: 3,
    advice: 'Remove the field, or correct its name.',
  },
  'manifest/missing-field': {
    title: 'Missing field',
    exit: 3,
    advice: 'Add the field.',
  },
  'manifest/unknown-class': {
    title: 'Unknown class',
    exit: 3,
    advice: 'Use a class listed by landform schema manifest.',
  },
  'manifest/duplicate-key': {
    title: 'Duplicate resource key',
    exit: 3,
    advice: 'Use a unique key: keys are unique across all files of a manifest.',
  },
  'manifest/duplicate-item': {
    title: 'Duplicate item',
    exit: 3,
    advice: 'Use unique names for the items of the list.',
  },
  'manifest/duplicate-rule': {
    title: 'Duplicate rule',
    exit: 3,
    advice: 'Remove one of them.',
  },
  'manifest/bad-key': {
    title: 'Invalid resource key',
    exit: 3,
    advice: 'Use 1 to 255 printable ASCII characters.',
  },
  'manifest/duplicate-name': {
    title: 'Duplicate display name',
    exit: 3,
    advice: 'Use unique display names for siblings.',
  },
  'manifest/unknown-reference': {
    title: 'Unknown reference',
    exit: 3,
    advice: 'Use a key of this manifest, or declare the resource with existing: true.',
  },
  'manifest/wrong-reference': {
    title: 'Reference to a wrong class',
    exit: 3,
    advice: 'Reference a resource of an allowed class.',
  },
  'manifest/unknown-parent': {
    title: 'Missing parent',
    exit: 3,
    advice: 'Nest it under children of another resource, or set parent.',
  },
  'manifest/wrong-parent': {
    title: 'Wrong parent class',
    exit: 3,
    advice: 'Move it under a resource of an allowed class.',
  },
  'manifest/cycle': {
    title: 'Cycle',
    exit: 3,
    advice: 'Break the cycle.',
  },
  'manifest/conflict': {
    title: 'Contradiction',
    exit: 3,
    advice: 'Remove one of them.',
  },
  'manifest/two-ids': {
    title: 'Conflicting manifest ids',
    exit: 3,
    advice: 'Use the same manifest id in all files.',
  },
} as const satisfies Record<string, ProblemKind>
