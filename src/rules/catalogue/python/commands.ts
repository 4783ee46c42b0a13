import type { Package } from '../line.ts';

const OS = 'https://docs.python.org/3/library/os.html#os.system';
const SUBPROCESS = 'https://docs.python.org/3/library/subprocess.html#security-considerations';

/** What starts shells and programs, and what runs text as code. */
export const pythonCommands: readonly Package[] = [
  {
    package: 'subprocess',
    link: SUBPROCESS,
    sinks: [
      {
        exports: 'run call check_call check_output Popen',
        kind: 'shell',
        args: [0],
        options: 'args',
        when: 'shell',
      },
      {
        exports: 'run call check_call check_output Popen',
        kind: 'program',
        args: [0],
        options: 'args executable',
        unless: 'shell',
      },
      { exports: 'getoutput getstatusoutput', kind: 'shell', args: [0], options: 'cmd' },
    ],
  },
  {
    package: 'os',
    link: OS,
    sinks: [
      {
        exports: 'system popen popen2 popen3 popen4',
        kind: 'shell',
        args: [0],
        options: 'command cmd',
      },
      {
        exports:
          'execl execle execlp execlpe execv execve execvp execvpe posix_spawn posix_spawnp startfile',
        kind: 'program',
      },
      {
        exports: 'spawnl spawnle spawnlp spawnlpe spawnv spawnve spawnvp spawnvpe',
        kind: 'program',
        args: [1],
      },
    ],
  },
  {
    package: 'commands',
    link: 'https://docs.python.org/2.7/library/commands.html',
    sinks: [{ exports: 'getoutput getstatusoutput', kind: 'shell' }],
  },
  {
    package: 'popen2',
    link: 'https://docs.python.org/2.7/library/popen2.html',
    sinks: [{ exports: 'popen2 popen3 popen4 Popen3', kind: 'shell' }],
  },
  {
    package: 'asyncio',
    link: 'https://docs.python.org/3/library/asyncio-subprocess.html#asyncio.create_subprocess_shell',
    sinks: [
      {
        exports: 'create_subprocess_shell subprocess.create_subprocess_shell',
        kind: 'shell',
        args: [0],
        options: 'cmd',
      },
      { exports: 'create_subprocess_exec subprocess.create_subprocess_exec', kind: 'program' },
    ],
  },
  {
    package: 'anyio',
    link: 'https://anyio.readthedocs.io/en/stable/subprocesses.html',
    sinks: [{ exports: 'run_process open_process', kind: 'shell' }],
  },
  {
    package: 'pty',
    link: 'https://docs.python.org/3/library/pty.html#pty.spawn',
    sinks: [{ exports: 'spawn', kind: 'program' }],
  },
  {
    package: 'pexpect',
    link: 'https://pexpect.readthedocs.io/en/stable/api/pexpect.html',
    sinks: [{ exports: 'run runu spawn spawnu', kind: 'shell', args: [0], options: 'command' }],
  },
  {
    package: 'paramiko',
    link: 'https://docs.paramiko.org/en/stable/api/client.html#paramiko.client.SSHClient.exec_command',
    receivers: 'ssh ssh_client client',
    sinks: [{ exports: '*.exec_command', kind: 'shell', args: [0], options: 'command' }],
  },
  {
    package: 'fabric',
    link: 'https://docs.fabfile.org/en/stable/api/connection.html',
    sinks: [
      { exports: '*.run *.sudo *.local api.run api.sudo api.local', kind: 'shell', args: [0] },
    ],
  },
  {
    package: 'invoke',
    link: 'https://docs.pyinvoke.org/en/stable/api/context.html',
    sinks: [{ exports: 'run *.run *.sudo', kind: 'shell', args: [0] }],
  },
  {
    package: 'builtins',
    link: 'https://docs.python.org/3/library/functions.html#eval',
    sinks: [{ exports: 'eval exec compile', kind: 'code' }],
  },
  {
    package: 'jinja2',
    link: 'https://jinja.palletsprojects.com/en/stable/sandbox/',
    sinks: [{ exports: 'Template *.from_string', kind: 'template' }],
  },
  {
    package: 'flask.render_template_string',
    link: 'https://flask.palletsprojects.com/en/stable/api/#flask.render_template_string',
    sinks: [{ exports: 'default', kind: 'template' }],
  },
];
