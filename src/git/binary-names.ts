/**
 * Extensions of formats that are binary by design. As text they would be noise to every rule, so
 * they stay a marker in the diff, which the gates report; whatever else holds a NUL is shown.
 */
export const BINARY_EXTENSIONS: readonly string[] = [
  // images and fonts
  ...['avif', 'bmp', 'eot', 'gif', 'heic', 'icns', 'ico', 'jpeg', 'jpg', 'otf', 'png', 'psd'],
  ...['tif', 'tiff', 'ttc', 'ttf', 'webp', 'woff', 'woff2', 'svgz'],
  // sound and video
  ...['aac', 'avi', 'flac', 'm4a', 'mkv', 'mov', 'mp3', 'mp4', 'ogg', 'wav', 'webm'],
  // archives and packages
  ...['7z', 'apk', 'bz2', 'deb', 'ear', 'gem', 'gz', 'iso', 'jar', 'lz4', 'nupkg', 'rar', 'rpm'],
  ...['tar', 'tbz2', 'tgz', 'txz', 'war', 'whl', 'xz', 'zip', 'zst'],
  // programs
  ...['a', 'class', 'dll', 'dylib', 'elf', 'exe', 'lib', 'node', 'o', 'obj', 'pdb', 'pyc', 'so'],
  'wasm',
  // documents and data
  ...['avro', 'db', 'doc', 'docx', 'h5', 'npy', 'npz', 'odt', 'onnx', 'parquet', 'pdf', 'ppt'],
  ...['pptx', 'sqlite', 'sqlite3', 'xls', 'xlsx', 'jks', 'keystore', 'p12', 'pfx', 'mo'],
];
