import type { ProblemKind } from './kind.ts'

/** What can be wrong with the files people write. */
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
    title: 'Not UTF-8',
    exit: 3,
    advice: 'Save the file as UTF-8.',
  },
  'yaml/syntax': {
    title: 'YAML syntax',
    exit: 3,
    advice: 'Correct the YAML.',
  },
  'yaml/duplicate-key': {
    title: 'Duplicate key',
    exit: 3,
    advice: 'Keep one of the two.',
  },
  'yaml/key': {
    title: 'Key is not text',
    exit: 3,
    advice: 'Put the key in quotes.',
  },
  'yaml/number': {
    title: 'Number cannot be kept exactly',
    exit: 3,
    advice: 'Put it in quotes to keep it as text.',
  },
  'yaml/alias': {
    title: 'Bad alias',
    exit: 3,
    advice: 'Define the anchor before it is used, or write the value out.',
  },
  'yaml/edit': {
    title: 'Cannot be edited in place',
    exit: 3,
    advice: 'Edit it by hand.',
  },
  'value/unknown-variable': {
    title: 'Unknown variable',
    exit: 3,
    advice: 'Set the environment variable, or give a default: ${env.NAME:-default}.',
  },
  'value/bad-expression': {
    title: 'Bad expression',
    exit: 3,
    advice: 'Write ${env.NAME}; a literal dollar sign before a brace is $${.',
  },
  'manifest/empty': {
    title: 'No manifest',
    exit: 3,
    advice: 'Name a manifest file or a folder that holds some.',
  },
  'manifest/invalid': {
    title: 'Invalid manifest',
    exit: 3,
    advice: 'Correct the faults that are listed.',
  },
  'manifest/bad-value': {
    title: 'Bad value',
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
    advice: 'Use one of the classes of landform schema manifest.',
  },
  'manifest/duplicate-key': {
    title: 'Key used twice',
    exit: 3,
    advice: 'Keys are unique over all files of a manifest.',
  },
  'manifest/duplicate-item': {
    title: 'Item used twice',
    exit: 3,
    advice: 'Items of the list have different names.',
  },
  'manifest/duplicate-rule': {
    title: 'Rule written twice',
    exit: 3,
    advice: 'Keep one.',
  },
  'manifest/bad-key': {
    title: 'Bad key',
    exit: 3,
    advice: 'Keys are 1 to 255 printable ASCII characters.',
  },
  'manifest/duplicate-name': {
    title: 'Display name used twice',
    exit: 3,
    advice: 'Siblings have different display names.',
  },
  'manifest/unknown-reference': {
    title: 'Unknown reference',
    exit: 3,
    advice: 'Name a key of this manifest, or declare the resource with existing: true.',
  },
  'manifest/wrong-reference': {
    title: 'Wrong class of reference',
    exit: 3,
    advice: 'Name a resource of one of the classes that fit.',
  },
  'manifest/unknown-parent': {
    title: 'No parent',
    exit: 3,
    advice: 'Nest it under children of another resource, or name its parent.',
  },
  'manifest/wrong-parent': {
    title: 'Wrong parent class',
    exit: 3,
    advice: 'Put it under a resource of one of the classes that fit.',
  },
  'manifest/cycle': {
    title: 'Cycle',
    exit: 3,
    advice: 'Break the cycle.',
  },
  'manifest/conflict': {
    title: 'Contradiction',
    exit: 3,
    advice: 'Keep one of the two.',
  },
  'manifest/two-ids': {
    title: 'Two manifest ids',
    exit: 3,
    advice: 'All files of one manifest carry the same id.',
  },
} as const satisfies Record<string, ProblemKind>
