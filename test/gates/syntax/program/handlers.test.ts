import test from 'ava';
import { judge } from '../../../analysis/worker/judge-commits.ts';

type Files = Readonly<Record<string, string>>;

/** What is there, what the change adds or replaces, and what is found: `id file:line`. */
interface Case {
  readonly what: string;
  readonly before: Files;
  readonly after: Files;
  readonly found: readonly string[];
}

const CONTROLLER =
  "const { exec } = require('child_process');\nexports.show = (input, output) => {\n  exec('ls ' + input.query.name);\n};\n";
const ROUTES = (routes: string) =>
  `const app = require('express')();\nconst ctl = require('./ctl');\n${routes}`;
const VIEWS =
  "import subprocess\n\n\ndef show(request, name):\n    subprocess.call('ls ' + name, shell=True)\n";
const URLS = (routes: string) =>
  `from django.urls import path\n\nfrom . import views\n\nurlpatterns = [\n${routes}]\n`;
const SERVICE =
  "import { Injectable } from '@nestjs/common';\nimport { exec } from 'node:child_process';\n\n@Injectable()\nexport class RunService {\n  run(name: string) {\n    exec('ls ' + name);\n  }\n}\n";
const NEST = (body: string) =>
  `import { Body, Controller, Post } from '@nestjs/common';\nimport { RunService } from './run.service';\n\n@Controller()\nexport class RunController {\n  constructor(private readonly service: RunService) {}\n\n  @Post()\n  start(@Body() body: { name: string }) {\n    ${body}\n  }\n}\n`;
const GIN = (routes: string) =>
  `package main\n\nimport (\n\t"github.com/gin-gonic/gin"\n\n\t"example.com/shop/ctl"\n)\n\nfunc main() {\n\tr := gin.Default()\n${routes}}\n`;
const GIN_CTL = (body: string) =>
  `package ctl\n\nimport (\n\t"os/exec"\n\n\t"github.com/gin-gonic/gin"\n)\n\nfunc Show(c *gin.Context) {\n\t${body}\n}\n`;

const CASES: Case[] = [
  {
    what: 'a route of Express is added for a function of another file',
    before: { 'ctl.js': CONTROLLER, 'routes.js': ROUTES('') },
    after: { 'routes.js': ROUTES("app.get('/', ctl.show);\n") },
    found: ['vuln-01 routes.js:3'],
  },
  {
    what: 'a function that another file registers for Express runs a shell now',
    before: {
      'ctl.js':
        'exports.show = (input, output) => {\n  output.send(input.query.name.length);\n};\n',
      'routes.js': ROUTES("app.get('/', ctl.show);\n"),
    },
    after: { 'ctl.js': CONTROLLER },
    found: ['vuln-01 ctl.js:3'],
  },
  {
    what: 'a path of Django is added for a view of another file',
    before: { 'shop/views.py': VIEWS, 'shop/urls.py': URLS('') },
    after: { 'shop/urls.py': URLS("    path('<str:name>', views.show),\n") },
    found: ['vuln-01 shop/urls.py:6'],
  },
  {
    what: 'a view that another file gives a path of Django runs a shell now',
    before: {
      'shop/views.py':
        "import subprocess\n\n\ndef show(request, name):\n    subprocess.call(['ls', '--', name])\n",
      'shop/urls.py': URLS("    path('<str:name>', views.show),\n"),
    },
    after: { 'shop/views.py': VIEWS },
    found: ['vuln-01 shop/views.py:5'],
  },
  {
    what: 'a path of Django that takes numbers only',
    before: { 'shop/views.py': VIEWS, 'shop/urls.py': URLS('') },
    after: { 'shop/urls.py': URLS("    path('<int:name>', views.show),\n") },
    found: [],
  },
  {
    what: 'a controller of Nest calls a service that is injected',
    before: { 'run.service.ts': SERVICE, 'run.controller.ts': NEST('return body.name;') },
    after: { 'run.controller.ts': NEST('this.service.run(body.name);') },
    found: ['vuln-01 run.controller.ts:10'],
  },
  {
    what: 'a service of Nest that is injected in another file runs a shell now',
    before: {
      'run.service.ts': SERVICE.replace("exec('ls ' + name)", 'return name.length'),
      'run.controller.ts': NEST('this.service.run(body.name);'),
    },
    after: { 'run.service.ts': SERVICE },
    found: ['vuln-01 run.service.ts:7'],
  },
  {
    what: 'a function that another file registers for gin runs a shell now',
    before: {
      'go.mod': 'module example.com/shop\n',
      'main.go': GIN('\tr.GET("/x", ctl.Show)\n'),
      'ctl/show.go': GIN_CTL('exec.Command("ls", "--", c.Query("name")).Run()'),
    },
    after: { 'ctl/show.go': GIN_CTL('exec.Command("sh", "-c", "ls "+c.Query("name")).Run()') },
    found: ['vuln-01 ctl/show.go:10'],
  },
];

for (const { what, before, after, found } of CASES) {
  test.serial(what, async (t) => {
    const { open, flows } = await judge(t, before, { ...before, ...after });
    const grave = open.filter((one) => one.includes('vuln-'));
    t.deepEqual(
      grave.map((one) => one.replace(/^\w+ /, '')),
      [...found],
      `${open.join('\n')}\n${flows.join('\n')}`,
    );
  });
}
