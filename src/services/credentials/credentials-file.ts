/** In DATA_DIR: what the first start made, for the operator and the command line. */
export const CREDENTIALS_FILE = 'admin-credentials.json';
