#!/usr/bin/env node
/** Writes docs/openapi.json, what GET /api/cra/openapi.json answers; a test compares the two. */
import { readFileSync, writeFileSync } from 'node:fs';
import { ROUTES } from '../dist/src/http/api/routes.js';
import { describeApi } from '../dist/src/http/openapi/document.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const text = `${JSON.stringify(describeApi(ROUTES, version), null, 2)}\n`;
writeFileSync(new URL('../docs/openapi.json', import.meta.url), text);
