import type { Package } from '../line.ts';

const PICKLE = 'https://docs.python.org/3/library/pickle.html';

function pickler(name: string, link: string): Package {
  return {
    package: name,
    link,
    sinks: [
      { exports: 'load loads Unpickler', kind: 'deserialise', args: [0], options: 'file str data' },
    ],
  };
}

/** Readers of formats that can carry code. */
export const pythonReaders: readonly Package[] = [
  pickler('pickle', PICKLE),
  pickler('cPickle', 'https://docs.python.org/2.7/library/pickle.html'),
  pickler('_pickle', PICKLE),
  pickler('dill', 'https://dill.readthedocs.io/en/latest/dill.html'),
  pickler('cloudpickle', 'https://github.com/cloudpipe/cloudpickle#readme'),
  pickler('pickle5', 'https://pypi.org/project/pickle5/'),
  {
    package: 'marshal',
    link: 'https://docs.python.org/3/library/marshal.html',
    sinks: [{ exports: 'load loads', kind: 'deserialise' }],
  },
  {
    package: 'shelve',
    link: 'https://docs.python.org/3/library/shelve.html',
    sinks: [
      { exports: 'open DbfilenameShelf', kind: 'deserialise', args: [0], options: 'filename' },
    ],
  },
  {
    package: 'yaml',
    link: 'https://pyyaml.org/wiki/PyYAMLDocumentation',
    sinks: [
      {
        exports: 'load load_all',
        kind: 'deserialise',
        args: [0],
        options: 'stream',
        unless: 'Loader',
      },
      {
        exports:
          'unsafe_load unsafe_load_all full_load full_load_all Loader UnsafeLoader FullLoader',
        kind: 'deserialise',
        args: [0],
        options: 'stream',
      },
    ],
  },
  {
    package: 'ruamel.yaml',
    link: 'https://yaml.readthedocs.io/en/latest/detail/',
    sinks: [{ exports: 'load unsafe_load', kind: 'deserialise', unless: 'Loader' }],
  },
  {
    package: 'jsonpickle',
    link: 'https://jsonpickle.readthedocs.io/en/latest/',
    sinks: [
      {
        exports: 'decode loads unpickler.decode',
        kind: 'deserialise',
        args: [0],
        options: 'string',
      },
    ],
  },
  {
    package: 'joblib',
    link: 'https://joblib.readthedocs.io/en/stable/generated/joblib.load.html',
    sinks: [{ exports: 'load', kind: 'deserialise', args: [0], options: 'filename' }],
  },
  {
    package: 'torch',
    link: 'https://docs.pytorch.org/docs/stable/generated/torch.load.html',
    sinks: [
      { exports: 'load', kind: 'deserialise', args: [0], options: 'f', unless: 'weights_only' },
    ],
  },
  {
    package: 'numpy',
    link: 'https://numpy.org/doc/stable/reference/generated/numpy.load.html',
    sinks: [
      { exports: 'load', kind: 'deserialise', args: [0], options: 'file', when: 'allow_pickle' },
    ],
  },
  {
    package: 'pandas',
    link: 'https://pandas.pydata.org/docs/reference/api/pandas.read_pickle.html',
    sinks: [
      { exports: 'read_pickle', kind: 'deserialise', args: [0], options: 'filepath_or_buffer' },
    ],
  },
  {
    package: 'lxml.etree',
    link: 'https://lxml.de/parsing.html#parser-options',
    sinks: [{ exports: '*.xpath', kind: 'xpath' }],
  },
  {
    package: 'keras',
    link: 'https://keras.io/api/models/model_saving_apis/model_saving_and_loading/',
    sinks: [
      {
        exports: 'models.load_model saving.load_model',
        kind: 'deserialise',
        args: [0],
        options: 'filepath',
      },
    ],
  },
  {
    package: 'tensorflow.keras',
    link: 'https://www.tensorflow.org/api_docs/python/tf/keras/models/load_model',
    sinks: [{ exports: 'models.load_model', kind: 'deserialise', args: [0], options: 'filepath' }],
  },
];
